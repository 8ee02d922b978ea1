"""terminal.py [STEP…] -- COMMAND…: runs a command in a pseudo-terminal, and a terminal emulator reads its screen.

Steps, one after the other, each with a deadline: wait:TEXT until the screen shows it, gone:TEXT until it doesn't,
dim:TEXT until it is shown dimmed, key:TEXT to type (python escapes), resize:COLSxROWS, signal:NAME, run:COMMAND for a
shell in the background, end until the program ends. At the end what happened is printed as JSON: the exit status, the
screen, what it showed at the time of each step, whether the cursor is shown, and whether typing is echoed.
"""
import codecs, fcntl, json, os, pty, re, select, signal, struct, subprocess, sys, termios, time

import pyte

LIMIT = float(os.environ.get("TERMINAL_LIMIT", "30"))


class Screen(pyte.HistoryScreen):
    """pyte knows no dim text; it is shown struck through here, which nothing else uses."""

    def select_graphic_rendition(self, *attributes, **rest):
        super().select_graphic_rendition(*[9 if a == 2 else a for a in attributes], **rest)


split = sys.argv.index("--")
steps, command = sys.argv[1:split], sys.argv[split + 1 :]
columns, rows = 80, 24
screen = Screen(columns, rows, history=1000)
stream = pyte.ByteStream(screen)


def size(fd, columns, rows):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


master, slave = pty.openpty()
size(slave, columns, rows)
pid = os.fork()
if pid == 0:
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for fd in range(3):
        os.dup2(slave, fd)
    os.closerange(3, 256)
    os.environ["TERM"] = "xterm-256color"
    os.execvp(command[0], command)

status = None
raw = b""


def pump(seconds):
    """Reads what the program writes for so long; notices its end."""
    global status, raw
    ready, _, _ = select.select([master], [], [], seconds)
    if ready:
        data = os.read(master, 65536)
        raw += data
        stream.feed(data)
    if status is None:
        ended, code = os.waitpid(pid, os.WNOHANG | os.WUNTRACED)
        if ended and not os.WIFSTOPPED(code):
            status = os.waitstatus_to_exitcode(code)


def past():
    lines = ["".join(line[x].data for x in range(columns)).rstrip() for line in screen.history.top]
    return lines + [line.rstrip() for line in screen.display]


def text():
    return "\n".join(past()).rstrip()


def dim():
    return "\n".join(
        "".join(screen.buffer[y][x].data if screen.buffer[y][x].strikethrough else " " for x in range(columns)) for y in range(rows)
    )


def flat(shown):
    return re.sub(r"\s+", " ", shown)


def until(what, is_so):
    end = time.monotonic() + LIMIT
    while not is_so():
        if time.monotonic() > end:
            os.kill(pid, signal.SIGKILL)
            sys.exit(f"{what}: not within {LIMIT} s. The screen:\n{text()}\nRaw: {raw[-2000:]!r}")
        if status is not None and what != "end":
            pump(0.05)
            if is_so():
                return
            sys.exit(f"{what}: the program ended with {status} before. The screen:\n{text()}")
        pump(0.05)


background, seen = [], []
for step in steps:
    name, _, value = step.partition(":")
    if name == "wait":
        until(step, lambda: value in flat(text()))
    elif name == "gone":
        until(step, lambda: value not in flat(text()))
    elif name == "dim":
        until(step, lambda: value in flat(dim()))
    elif name == "key":
        os.write(master, codecs.decode(value, "unicode_escape").encode())
    elif name == "resize":
        columns, rows = map(int, value.split("x"))
        screen.resize(rows, columns)
        size(master, columns, rows)
    elif name == "signal":
        os.kill(pid, getattr(signal, value))
    elif name == "run":
        background.append(subprocess.Popen(value, shell=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
    elif name == "end":
        until("end", lambda: status is not None)
    else:
        sys.exit(f"what is the step {step}?")
    seen.append(text())

if status is None:
    until("end", lambda: status is not None)
for _ in range(3):
    pump(0.02)
echo = bool(termios.tcgetattr(slave)[3] & termios.ECHO)
for process in background:
    process.wait(LIMIT)
print(json.dumps({
    "status": status, "screen": text(), "seen": seen, "echo": echo, "cursor": not screen.cursor.hidden,
    "widest": max((len(line) for line in past()), default=0),
}))

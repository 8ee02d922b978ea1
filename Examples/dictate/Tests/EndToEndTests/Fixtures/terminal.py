"""terminal.py [STEP…] -- COMMAND…: runs a command in a pseudo-terminal, and a terminal emulator reads its screen.

Steps, one after the other. These look at every screen that was drawn since the last step, however briefly it was shown,
and have a deadline: wait:TEXT until one shows it, gone:TEXT until one doesn't, dim:TEXT until one shows it dimmed,
kept:TEXT until one shows it undimmed; TEXT may be several texts with | between them, of which one is enough.
These act, and what was drawn before them no longer counts: key:TEXT to type (python escapes), resize:COLSxROWS,
signal:NAME, after:SECONDS, run:COMMAND for a shell in the background that ends when all is done, stopped until the program is
suspended, end until it ends. At the end what happened is printed as JSON: the exit status, the screen, and what was so
at each step: its screen, whether the cursor was shown, and whether typing was echoed; and how often the terminal was
commanded.
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

status, isStopped = None, False
raw = b""
# Every screen that was drawn since the last step that acted, oldest first; a step looks on from the one that the last
# step found.
drawn, found = [], 0


class Drawn:
    def __init__(self):
        lines = ["".join(line[x].data for x in range(columns)).rstrip() for line in screen.history.top]
        self.text = "\n".join(lines + [line.rstrip() for line in screen.display]).rstrip()
        cells = [[screen.buffer[y][x] for x in range(columns)] for y in range(rows)]
        self.dim = "\n".join("".join(c.data if c.strikethrough else " " for c in line) for line in cells)
        undimmed = ["".join(" " if c.strikethrough else c.data for c in line) for line in cells]
        self.kept = "\n".join(lines + undimmed)

    def __eq__(self, other):
        return (self.text, self.dim) == (other.text, other.dim)


def pump(seconds):
    """Reads what the program writes for so long, and keeps every screen of it; notices its end. False for nothing."""
    global status, isStopped, raw
    ready, _, _ = select.select([master], [], [], seconds)
    if ready:
        data = os.read(master, 65536)
        raw += data
        # Several screens may come at once: each ends where the program begins to erase it.
        for piece in re.split(rb"(?=\x1b\[\?25l|\r\x1b\[J)", data):
            stream.feed(piece)
            now = Drawn()
            if not drawn or drawn[-1] != now:
                drawn.append(now)
    if status is None:
        changed, code = os.waitpid(pid, os.WNOHANG | os.WUNTRACED | os.WCONTINUED)
        if changed and os.WIFSTOPPED(code):
            isStopped = True
        elif changed and os.WIFCONTINUED(code):
            isStopped = False
        elif changed:
            status = os.waitstatus_to_exitcode(code)
    return bool(ready)


def flat(shown):
    return re.sub(r"\s+", " ", shown)


def until(what, is_so):
    end = time.monotonic() + LIMIT
    while not is_so():
        if time.monotonic() > end or (status is not None and not pump(0.05) and not is_so()):
            if status is None:
                os.kill(pid, signal.SIGKILL)
            why = f"not within {LIMIT} s" if status is None else f"the program ended with {status} before"
            screens = "\n---\n".join(each.text for each in drawn[-5:])
            sys.exit(f"{what}: {why}. The last screens:\n{screens}\nRaw: {raw[-2000:]!r}")
        pump(0.05)


def show(step, is_shown):
    """Waits for a screen that is so, among those from the last one that was found."""

    def is_so():
        global found
        while found < len(drawn):
            if is_shown(drawn[found]):
                return True
            found += 1
        return False

    until(step, is_so)


def is_echoed():
    return bool(termios.tcgetattr(slave)[3] & termios.ECHO)


background, seen, echoes, cursors = [], [], [], []
for step in steps:
    name, _, value = step.partition(":")
    texts = value.split("|")
    if name in ("wait", "dim", "kept"):
        part = "text" if name == "wait" else name
        show(step, lambda each: any(text in flat(getattr(each, part)) for text in texts))
    elif name == "gone":
        show(step, lambda each: value not in flat(each.text))
    else:
        drawn, found = [], 0
        if name == "key":
            os.write(master, codecs.decode(value, "unicode_escape").encode())
        elif name == "resize":
            columns, rows = map(int, value.split("x"))
            screen.resize(rows, columns)
            size(master, columns, rows)
        elif name == "signal":
            os.kill(pid, getattr(signal, value))
        elif name == "after":
            end = time.monotonic() + float(value)
            while time.monotonic() < end:
                pump(max(0, end - time.monotonic()))
        elif name == "run":
            background.append(
                subprocess.Popen(
                    value, shell=True, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        elif name == "stopped":
            until(step, lambda: isStopped)
            while pump(0.05):
                pass
        elif name == "end":
            until(step, lambda: status is not None)
        else:
            sys.exit(f"what is the step {step}?")
    seen.append(drawn[found].text if found < len(drawn) and name in ("wait", "dim", "kept", "gone") else Drawn().text)
    echoes.append(is_echoed())
    cursors.append(not screen.cursor.hidden)

until("end", lambda: status is not None)
while pump(0.05):
    pass
for process in background:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGTERM)
    process.wait(LIMIT)
text = Drawn().text
print(json.dumps({
    "status": status, "screen": text, "seen": seen, "echo": is_echoed(), "cursor": not screen.cursor.hidden,
    "echoes": echoes, "cursors": cursors, "widest": max(map(len, text.split("\n"))), "commands": raw.count(b"\x1b"),
}))

"""terminal.py [STEP…] -- COMMAND…: runs a command in a pseudo-terminal, and a terminal emulator reads its screen.

The steps run one after the other. Some steps wait for a screen, with a deadline. They search every screen since the
previous step, however short it was visible:
- wait:TEXT waits for a screen with the text, dim:TEXT for one with the text dimmed, and kept:TEXT for one with the text
  undimmed. TEXT may be several texts with | between them; one of them is enough.
- gone:TEXT waits for a screen without the text.
Other steps act. Later steps ignore the screens from before them:
- key:TEXT types a text with Python escapes. resize:COLSxROWS, signal:NAME and after:SECONDS do what they say.
- run:COMMAND runs a shell command in the background and ends it with the script.
- stopped waits until the program is suspended, and end waits until it has ended.
The script prints JSON: the exit status, the last screen, the number of escape sequences, and for each step its screen,
whether the cursor was visible, and whether typing was echoed.
"""
import codecs, fcntl, json, os, pty, re, select, signal, struct, subprocess, sys, termios, time

import pyte

LIMIT = float(os.environ.get("TERMINAL_LIMIT", "30"))


class Screen(pyte.HistoryScreen):
    """pyte has no dim text, so this screen shows dim text as struck through, which nothing else uses."""

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
# The screens since the last step that acted, oldest first. A step searches from the screen that the previous step found.
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
    """Reads the program's output for a time, keeps its screens, and notices its end. Returns whether it read anything."""
    global status, isStopped, raw
    ready, _, _ = select.select([master], [], [], seconds)
    if ready:
        data = os.read(master, 65536)
        raw += data
        # Several screens may arrive at once. A screen ends where the program begins to erase it.
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
    """Waits for a matching screen, from the last found screen on."""

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
            sys.exit(f"unknown step: {step}")
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

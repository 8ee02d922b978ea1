"""A desktop without a screen: Xvfb and ibus-daemon, in a folder, until standard input ends.

    desktop.py FOLDER

Prints the display when it is ready. Lines of standard input: "kill" kills ibus-daemon, "start" starts it.
Each is answered by the same word.
"""

import os
import signal
import subprocess
import sys
import time

folder = sys.argv[1]
# The test's threads block signals, and children inherit that.
signal.pthread_sigmask(signal.SIG_SETMASK, [])
os.environ.update(XDG_CONFIG_HOME=folder, XDG_CACHE_HOME=folder, IBUS_ADDRESS_FILE=folder + "/address")
quiet = dict(stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
reader, writer = os.pipe()
screen = subprocess.Popen(
    ["Xvfb", "-displayfd", str(writer), "-screen", "0", "800x600x24", "-nolisten", "tcp"],
    **{**quiet, "pass_fds": [writer]})
os.close(writer)
number = b""
while not number.endswith(b"\n"):
    number += os.read(reader, 16) or sys.exit("Xvfb did not start.")
os.environ["DISPLAY"] = ":" + number.decode().strip()
daemon = None


def start():
    global daemon
    before = text()
    daemon = subprocess.Popen(["ibus-daemon", "--panel", "disable", "--config", "disable"], **quiet)
    for _ in range(3000):
        if text() not in ("", before):
            return
        time.sleep(0.01)
    sys.exit("ibus-daemon did not start.")


def text():
    try:
        return open(folder + "/address").read()
    except OSError:
        return ""


try:
    start()
    print(os.environ["DISPLAY"], flush=True)
    for line in sys.stdin:
        word = line.strip()
        if word == "kill":
            daemon.kill()
            daemon.wait()
        elif word == "start":
            start()
        print(word, flush=True)
finally:
    for process in (daemon, screen):
        if process:
            process.terminate()
            process.wait()

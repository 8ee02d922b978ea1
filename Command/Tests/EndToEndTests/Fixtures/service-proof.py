#!/usr/bin/env python3
"""Uses the built service for a long time, and says what it found as JSON.

service-proof.py kill COUNT SEED DICTATE SCRIPT TONE    kills the service at random moments, and looks for lost texts
service-proof.py takes COUNT SEED DICTATE SCRIPT TONE   records takes, and looks at memory, descriptors and threads

The working folder is for the service alone.
"""
import glob, json, os, random, signal, socket, subprocess, sys, threading, time

mode, count, seed, dictate, script, tone = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:]
random.seed(seed)
PATH = os.getcwd() + "/run/dictation/socket"
JOURNAL = os.getcwd() + "/state/dictation/journal.jsonl"
ENVIRONMENT = {**os.environ, "XDG_RUNTIME_DIR": os.getcwd() + "/run", "XDG_STATE_HOME": os.getcwd() + "/state",
               "XDG_CONFIG_HOME": os.getcwd() + "/config"}
os.makedirs("run", exist_ok=True)


class Client:
    def __init__(self):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(PATH)
        self.lines = self.socket.makefile(encoding="utf-8")
        self.count = 0
        self.send({"hello": "dictation", "version": 1})
        if "hello" not in self.read():
            raise OSError("no greeting")

    def send(self, value):
        self.socket.sendall(json.dumps(value).encode() + b"\n")

    def read(self):
        line = self.lines.readline()
        if not line.endswith("\n"):
            raise OSError("the service is gone")
        return json.loads(line)

    def ask(self, intent):
        self.count += 1
        self.send({"id": self.count, "intent": intent})
        return self.read()

    def close(self):
        self.lines.close()
        self.socket.close()


def serve():
    return subprocess.Popen(
        [dictate, "service", "--quiet", "--engine", "scripted", "--script", script, "--device", "file:" + tone],
        env=ENVIRONMENT, stdin=subprocess.DEVNULL)


def connected(process):
    """Returns a client once the service listens; nothing if it ends first."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            return Client()
        except OSError:
            if process.poll() is not None:
                return None
            time.sleep(0.002)
    sys.exit("the service does not listen")


def saved():
    """Returns the texts in the journal."""
    texts = set()
    try:
        with open(JOURNAL, "rb") as file:
            for line in file.read().split(b"\n"):
                try:
                    text = json.loads(line)
                    texts.add((text["take"], text["date"], text["text"]))
                except ValueError:
                    pass  # The line that a kill cut off.
    except FileNotFoundError:
        pass
    return texts


def kill():
    acknowledged, lost, takes, early = 0, [], 0, 0
    for _ in range(count):
        process = serve()
        is_early = random.random() < 0.2
        if not is_early:
            client = connected(process)
            if client is None:
                sys.exit("the service did not start: status %s" % process.poll())
        timer = threading.Timer(random.uniform(0, 0.25 if is_early else 1.5), process.kill)
        timer.start()
        given = []
        try:
            if is_early:
                client = connected(process)
                if client is None:
                    early += 1
                    raise OSError("killed while it started")
            while True:
                client.ask("start")
                takes += 1
                time.sleep(random.uniform(0, 0.3))
                answer = client.ask(random.choice(["stop", "stop", "toggle"]))
                if answer["answer"] == "text" and answer["text"]:
                    given.append((answer["take"], answer["date"], answer["text"]))
        except OSError:
            pass
        process.wait()
        timer.join()
        # Every text that a client has got was on the disk before.
        acknowledged += len(given)
        lost += ["%s %s %s" % text for text in given if text not in saved()]
    # The last start: nothing is stale, the newest text is there, and no audio waits for ever.
    process = serve()
    client = connected(process)
    answer = client.ask("last") if client else {"answer": "no service"}
    end = time.monotonic() + 120
    while glob.glob("state/dictation/audio/*") and time.monotonic() < end:
        time.sleep(0.05)
    left = len(glob.glob("state/dictation/audio/*"))
    process.terminate()
    status = process.wait()
    return {"killed": count, "killedWhileStarting": early, "takes": takes, "acknowledged": acknowledged,
            "lost": lost, "last": answer["answer"], "audioLeft": left, "status": status}


def usage(process):
    with open(f"/proc/{process.pid}/status") as file:
        fields = dict(line.split(":", 1) for line in file)
    return {"kilobytes": int(fields["VmRSS"].split()[0]), "threads": int(fields["Threads"]),
            "descriptors": len(os.listdir(f"/proc/{process.pid}/fd"))}


def takes():
    process = serve()
    client = connected(process)
    follower = connected(process)
    follower.send({"id": 1, "intent": "follow"})
    seen = [0]

    def follow():
        try:
            while follower.read():
                seen[0] += 1
        except (OSError, ValueError):
            pass

    threading.Thread(target=follow, daemon=True).start()
    usages, empty = [], 0
    for number in range(count):
        if number % 10 == 0:
            # Most callers connect for one intent.
            client.close()
            client = connected(process)
        client.ask("start")
        time.sleep(0.12)
        answer = client.ask("stop")
        empty += answer.get("text", "") == ""
        # Old takes are still cleaned up for a moment.
        if number % max(1, count // 20) == count // 20 - 1:
            time.sleep(0.5)
            usages.append(usage(process))
    process.terminate()
    return {"takes": count, "empty": empty, "usages": usages, "followed": seen[0], "status": process.wait()}


print(json.dumps(kill() if mode == "kill" else takes()))

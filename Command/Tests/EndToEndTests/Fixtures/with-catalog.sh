#!/bin/bash
# with-catalog.sh COMMAND…: runs a command with a server on loopback and an empty store. CATALOG is a catalog with copies
# of Debian's US English model of PocketSphinx:
# - good: an ordinary model; spoilt: a model with a wrong hash; loose: a model without hashes;
#   alone: another, the only one of its language.
# - huge: a model that claims to be larger than any machine.
# - slow: its largest file stops in the middle until the file $GO exists.
# - wheel: a wheel, which pip downloads from the same server. Only with WITH_WHEEL=1, because making it takes a moment.
set -eu
folder=$(mktemp -d)
source=/usr/share/pocketsphinx/model/en-us
export XDG_DATA_HOME=$folder/data XDG_DATA_DIRS=$folder/shared CATALOG=$folder/catalog.json GO=$folder/go
python=/usr/bin/python3
$python -u - "$source" "$folder" "${WITH_WHEEL:-}" <<'PYTHON' &
import functools, hashlib, http.server, json, os, sys, time, zipfile

source, folder, with_wheel = sys.argv[1:]
wheel = "test_speech-1.0-py3-none-any.whl"
largest = "en-us.lm.bin"

class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments): pass

    def do_GET(self):
        if self.path == "/simple/test-speech/":
            self.reply(f'<!DOCTYPE html><html><body><a href="/{wheel}">{wheel}</a></body></html>'.encode(), "text/html")
        elif self.path == "/" + wheel:
            self.reply(open(os.path.join(folder, wheel), "rb").read())
        elif self.path == "/slow/" + largest:
            self.reply(open(os.path.join(source, largest), "rb").read(), stops=True)
        else:
            self.path = self.path.replace("/slow/", "/", 1)
            super().do_GET()

    def reply(self, data, kind="application/octet-stream", stops=False):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        middle = len(data) // 2
        self.wfile.write(data[:middle])
        end = time.monotonic() + 120
        while stops and not os.path.exists(folder + "/go") and time.monotonic() < end:
            time.sleep(0.05)
        self.wfile.write(data[middle:])

class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    # A client that is interrupted closes its connection.
    def handle_error(self, *arguments): pass

server = Server(("127.0.0.1", 0), functools.partial(Handler, directory=source))
files = sorted(os.path.relpath(os.path.join(at, name), source) for at, _, names in os.walk(source) for name in names)

def entry(id, locales, downloads):
    return {"id": id, "engine": "pocketsphinx", "locales": locales, "name": id, "license": "BSD-2-Clause",
            "downloads": downloads}

def model(id, locales, spoil=False, pinned=True, path=""):
    def download(name):
        data = open(os.path.join(source, name), "rb").read()
        digest = hashlib.sha256(data + (b"!" if spoil else b"")).hexdigest()
        address = f"http://127.0.0.1:{server.server_port}/{path}{name}"
        item = {"mirrors": [address], "file": name, "byteCount": len(data)}
        return item | {"sha256": digest} if pinned else item
    return entry(id, locales, [download(name) for name in files])

def wheel_model(id, locales):
    with zipfile.ZipFile(os.path.join(folder, wheel), "w") as archive:
        for name in files:
            archive.write(os.path.join(source, name), "test_speech/" + name)
        information = "test_speech-1.0.dist-info/"
        archive.writestr(information + "METADATA", "Metadata-Version: 2.1\nName: test-speech\nVersion: 1.0\n")
        archive.writestr(
            information + "WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(information + "RECORD", "")
    data = open(os.path.join(folder, wheel), "rb").read()
    build = {"platform": "any", "sha256": hashlib.sha256(data).hexdigest(), "byteCount": len(data)}
    members = [{"path": "test_speech/" + name, "file": name} for name in files]
    return entry(id, locales, [
        {"wheel": {"package": "test-speech", "version": "1.0", "builds": [build], "members": members}}])

models = [
    model("good", ["eo-AU"]), model("spoilt", ["eo-AU"], spoil=True), model("loose", ["eo-AU"], pinned=False),
    model("alone", ["eo-ZA"], pinned=False), model("slow", ["eo-IE"], path="slow/"),
    model("huge", ["eo-IN"]) | {"byteCount": 1 << 60}]
if with_wheel:
    models.append(wheel_model("wheel", ["eo-NZ"]))
with open(folder + "/port", "w") as file:
    file.write(str(server.server_port))
with open(folder + "/catalog.part", "w") as file:
    json.dump({"format": 1, "name": "Test", "models": models}, file)
os.rename(folder + "/catalog.part", folder + "/catalog.json")
server.serve_forever()
PYTHON
server=$!
trap 'kill $server 2>/dev/null || true; wait $server 2>/dev/null || true; rm -rf "$folder"' EXIT
for _ in $(seq 300); do [ -e "$CATALOG" ] && break; sleep 0.1; done
export PIP_CONFIG_FILE=/dev/null PIP_EXTRA_INDEX_URL= PIP_FIND_LINKS= PIP_RETRIES=0 NO_PROXY='*' no_proxy='*'
PIP_INDEX_URL=http://127.0.0.1:$(cat "$folder/port")/simple/
export PIP_INDEX_URL
"$@"

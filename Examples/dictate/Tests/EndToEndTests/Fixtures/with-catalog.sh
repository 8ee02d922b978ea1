#!/bin/bash
# with-catalog.sh COMMAND…: runs a command with a server on loopback and an empty store. The server has Debian's US
# English model of PocketSphinx, a model with a wrong hash, and a model without hashes. CATALOG is their catalog.
set -eu
folder=$(mktemp -d)
source=/usr/share/pocketsphinx/model/en-us
export XDG_DATA_HOME=$folder/data XDG_DATA_DIRS=$folder/shared CATALOG=$folder/catalog.json
python=/usr/bin/python3
$python -u - "$source" "$folder" <<'PYTHON' &
import functools, hashlib, http.server, json, os, sys

source, folder = sys.argv[1:]
class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments): pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=source))
files = [os.path.relpath(os.path.join(at, name), source) for at, _, names in os.walk(source) for name in names]

def model(id, spoil=False, pinned=True):
    def download(name):
        data = open(os.path.join(source, name), "rb").read()
        digest = hashlib.sha256(data + (b"!" if spoil else b"")).hexdigest()
        item = {"mirrors": [f"http://127.0.0.1:{server.server_port}/{name}"], "file": name, "byteCount": len(data)}
        return item | {"sha256": digest} if pinned else item
    return {"id": id, "engine": "pocketsphinx", "locales": ["en-AU"], "name": id, "license": "BSD-2-Clause",
            "downloads": [download(name) for name in sorted(files)]}

with open(folder + "/catalog.part", "w") as file:
    json.dump({"format": 1, "name": "Test", "models": [
        model("good"), model("spoilt", spoil=True), model("loose", pinned=False)]}, file)
os.rename(folder + "/catalog.part", folder + "/catalog.json")
server.serve_forever()
PYTHON
server=$!
trap 'kill $server 2>/dev/null || true; wait $server 2>/dev/null || true; rm -rf "$folder"' EXIT
for _ in $(seq 300); do [ -e "$CATALOG" ] && break; sleep 0.1; done
"$@"

# write-receipt.py FOLDER ENGINE LOCALE: makes a folder with a model an installed model, as if it had been downloaded.
import hashlib, json, os, sys

folder, engine, locale = sys.argv[1:]
name = os.path.basename(folder)

def entry(file):
    data = open(os.path.join(folder, file), "rb").read()
    return {"path": file, "sha256": hashlib.sha256(data).hexdigest(), "byteCount": len(data)}

files = [entry(file) for file in sorted(os.listdir(folder))]
asset = {"id": name, "engine": engine, "locales": [locale], "name": name, "isPinned": True}
with open(folder + "/.model.json", "w") as receipt:
    json.dump({"format": 1, "installation": "copied", "asset": asset, "files": files}, receipt)

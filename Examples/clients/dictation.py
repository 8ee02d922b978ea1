#!/usr/bin/env python3
"""Asks the dictation service: dictation.py [start | stop | toggle | cancel | pause | resume | last | status]"""
import json, os, socket, sys

with socket.socket(socket.AF_UNIX) as service:
    folder = os.environ.get("XDG_RUNTIME_DIR") or os.path.expanduser("~/.local/state")
    if service.connect_ex(folder + "/dictation/socket"):
        sys.exit("No dictation service is running.")
    for line in {"hello": "dictation", "version": 1}, {"id": 1, "intent": (sys.argv + ["status"])[1]}:
        service.sendall(json.dumps(line).encode() + b"\n")
    for line in service.makefile(encoding="utf-8"):
        answer = json.loads(line)
        if "answer" in answer:
            if answer["answer"] == "error":
                sys.exit(answer["error"]["message"])
            print(answer.get("text", answer.get("status", {}).get("state", answer["answer"])))
            sys.exit()
sys.exit("The service closed the connection.")

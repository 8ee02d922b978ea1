#!/usr/bin/env python3
"""Asks the dictation service: dictation.py [start | stop | toggle | cancel | pause | resume | last | status]"""
import json, os, socket, sys

with socket.socket(socket.AF_UNIX) as service:
    service.connect(os.environ["XDG_RUNTIME_DIR"] + "/dictation/socket")
    for line in {"hello": "dictation", "version": 1}, {"id": 1, "intent": (sys.argv + ["status"])[1]}:
        service.sendall(json.dumps(line).encode() + b"\n")
    for line in service.makefile(encoding="utf-8"):
        answer = json.loads(line)
        if "answer" in answer:
            print(answer.get("text") or answer.get("error", {}).get("message") or answer["answer"])
            sys.exit(answer["answer"] == "error")
sys.exit("The service closed the connection.")

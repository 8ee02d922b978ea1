"""A window of Qt 5 with two fields for text and one for a password. It talks as gtk_fields.py does."""

import json
import signal
import sys
import time

from PyQt5.QtCore import QSocketNotifier
from PyQt5.QtWidgets import QApplication, QLineEdit, QPushButton, QVBoxLayout, QWidget

signal.pthread_sigmask(signal.SIG_SETMASK, [])


def say(event, **details):
    print(json.dumps({"event": event, "time": time.monotonic_ns(), **details}), flush=True)


class Field(QLineEdit):
    def inputMethodEvent(self, event):
        if event.preeditString():
            say("preedit", field=self.objectName(), text=event.preeditString())
        super().inputMethodEvent(event)

    def focusInEvent(self, event):
        super().focusInEvent(event)
        say("focus", field=self.objectName())


program = QApplication(["fields"])
window = QWidget()
layout = QVBoxLayout(window)
fields = {}
for name in ("first", "second", "password"):
    field = Field()
    field.setObjectName(name)
    field.textChanged.connect(lambda text, name=name: say("text", field=name, text=text))
    fields[name] = field
    layout.addWidget(field)
fields["password"].setEchoMode(QLineEdit.Password)
button = QPushButton("button")
layout.addWidget(button)


def obey():
    words = sys.stdin.readline().split()
    if not words:
        program.quit()
    elif words[0] == "focus":
        fields[words[1]].setFocus()
        fields[words[1]].end(False)
    elif words[0] == "leave":
        button.setFocus()
    elif words[0] == "clear":
        for field in fields.values():
            field.clear()
    if words:
        say("done")


window.show()
window.activateWindow()
program.focusWindowChanged.connect(lambda window: say("ready") if window else None)
if program.focusWindow():
    say("ready")
notifier = QSocketNotifier(sys.stdin.fileno(), QSocketNotifier.Read)
notifier.activated.connect(obey)
program.exec_()

"""A window with a text field of Qt 5, told what to do on standard input. Each command is answered with a line."""
import json, sys, time
from PyQt5.QtCore import QSocketNotifier, QTimer, Qt
from PyQt5.QtWidgets import QApplication, QLineEdit, QTextEdit

delay = 0.0
field = None


def answer(value):
    print(json.dumps(value), flush=True)


def watched(kind):
    class Field(kind):
        answered = False

        def keyPressEvent(self, event):
            time.sleep(delay)
            super().keyPressEvent(event)

        def focusInEvent(self, event):
            super().focusInEvent(event)
            if not self.answered:
                self.answered = True
                answer("focused")

    return Field()


def fresh(kind):
    global field
    old, field = field, watched(QTextEdit if kind == "area" else QLineEdit)
    field.resize(400, 200)
    field.show()
    field.activateWindow()
    field.setFocus()
    if old:
        old.deleteLater()


def obey():
    global delay
    words = sys.stdin.readline().split()
    if not words:
        app.quit()
    elif words[0] == "fresh":
        fresh(words[1])
    elif words[0] == "text":
        answer(field.toPlainText() if isinstance(field, QTextEdit) else field.text())
    elif words[0] == "delay":
        delay = float(words[1])
        answer("slow")
    elif words[0] == "sleep":
        answer("asleep")
        time.sleep(float(words[1]))


app = QApplication(sys.argv)
app.setQuitOnLastWindowClosed(False)
notifier = QSocketNotifier(0, QSocketNotifier.Read)
notifier.activated.connect(lambda *_: obey())
app.exec_()

"""A window of GTK 3 with fields: two for text, and three that are none of anybody's business.

Prints what happens as lines of JSON. Lines of standard input: "focus NAME", "leave", "clear".
"""

import json
import signal
import sys
import time

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, GLib, Gtk  # noqa: E402

signal.pthread_sigmask(signal.SIG_SETMASK, [])


def say(event, **details):
    print(json.dumps({"event": event, "time": time.monotonic_ns(), **details}), flush=True)


window = Gtk.Window(title="fields")
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
window.add(box)
fields = {}
for name in ("first", "second", "password", "hidden", "pin"):
    entry = Gtk.Entry()
    entry.set_name(name)
    entry.connect("changed", lambda entry: say("text", field=entry.get_name(), text=entry.get_text()))
    entry.connect("preedit-changed", lambda entry, text: say("preedit", field=entry.get_name(), text=text))
    entry.connect("focus-in-event", lambda entry, _: say("focus", field=entry.get_name()))
    fields[name] = entry
    box.add(entry)
fields["password"].set_input_purpose(Gtk.InputPurpose.PASSWORD)
fields["hidden"].set_visibility(False)
fields["pin"].set_input_purpose(Gtk.InputPurpose.PIN)
# Takes the focus, and takes no text.
button = Gtk.Button(label="button")
button.connect("focus-in-event", lambda *_: say("focus", field="button"))
box.add(button)


def obey(channel, _):
    words = sys.stdin.readline().split()
    if not words:
        Gtk.main_quit()
        return False
    if words[0] == "focus":
        fields[words[1]].grab_focus()
        # Moving there would select the text, and the next text would replace it.
        fields[words[1]].set_position(-1)
    elif words[0] == "leave":
        button.grab_focus()
    elif words[0] == "clear":
        for entry in fields.values():
            entry.set_text("")
    say("done")
    return True


window.connect("destroy", Gtk.main_quit)
window.show_all()
# Without a window manager nobody else gives it the keys.
window.get_window().focus(Gdk.CURRENT_TIME)
window.connect("focus-in-event", lambda *_: say("ready"))
GLib.io_add_watch(sys.stdin.fileno(), GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, obey)
Gtk.main()

"""A window with a text field of GTK 3, told what to do on standard input. Each command is answered with a line."""
import json, sys, time
import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, GLib, Gtk

window = field = None
sent = []
delay = 0.0


def answer(value):
    print(json.dumps(value), flush=True)


def fresh(kind, needs_focus=True):
    """Opens a new window with an empty field, and answers as soon as the field has the focus.

    On a Wayland desktop without a keyboard nothing has it, so then the window only has to be there.
    """
    global window, field
    old, window = window, Gtk.Window(title="field")
    field = Gtk.Entry() if kind == "entry" else Gtk.TextView()
    if kind == "entry":
        field.connect("activate", send)
    if kind == "chat":
        field.connect("key-press-event", send_on_enter)
    if kind == "entry":
        window.add(field)
    else:
        # Without it, a long line makes the window wider than X11 allows, which ends the program.
        scrolling = Gtk.ScrolledWindow()
        scrolling.add(field)
        window.add(scrolling)
    window.set_default_size(400, 200)
    window.connect("key-press-event", lambda *_: time.sleep(delay))
    window.connect("map-event", lambda *_: window.get_window().focus(0))
    answered = []
    if not needs_focus:
        answered.append(True)
        window.connect("map-event", lambda *_: answer("mapped") and False)

    def focused(*_):
        if not answered and field.has_focus() and window.has_toplevel_focus():
            answered.append(True)
            answer("focused")

    field.connect("focus-in-event", lambda *_: GLib.idle_add(focused) and False)
    window.connect("notify::has-toplevel-focus", focused)
    window.show_all()
    field.grab_focus()
    if old:
        old.destroy()


def send(*_):
    sent.append(text())
    field.get_buffer().set_text("", 0)
    return True


def send_on_enter(_, event):
    return event.keyval == Gdk.KEY_Return and not event.state & Gdk.ModifierType.SHIFT_MASK and send()


def text():
    buffer = field.get_buffer()
    if isinstance(field, Gtk.TextView):
        return buffer.get_text(buffer.get_start_iter(), buffer.get_end_iter(), True)
    return field.get_text()


def obey(*_):
    global delay
    words = sys.stdin.readline().split()
    if not words:
        Gtk.main_quit()
        return False
    if words[0] == "fresh":
        fresh(words[1], words[-1] != "unfocused")
    elif words[0] == "text":
        answer(text())
    elif words[0] == "sent":
        answer("\n".join(sent))
    elif words[0] == "grab":
        answer(Gdk.Display.get_default().get_default_seat().grab(
            window.get_window(), Gdk.SeatCapabilities.KEYBOARD, True).value_nick)
    elif words[0] == "ungrab":
        Gdk.Display.get_default().get_default_seat().ungrab()
        Gdk.Display.get_default().sync()
        answer("free")
    elif words[0] == "delay":
        delay = float(words[1])
        answer("slow")
    elif words[0] == "sleep":
        answer("asleep")
        time.sleep(float(words[1]))
    return True


GLib.io_add_watch(0, GLib.IO_IN | GLib.IO_HUP, obey)
Gtk.main()

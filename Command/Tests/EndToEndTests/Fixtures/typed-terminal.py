"""A terminal that shows nothing: runs a command and gives it what is typed into its window. Prints the command's output."""
import os, pty, sys
import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, GLib, Gtk

window = Gtk.Window()
window.set_default_size(400, 200)
status = 1


def start(*_):
    window.get_window().focus(0)
    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.argv[1], sys.argv[1:])

    def typed(_, event):
        code = Gdk.keyval_to_unicode(event.keyval)
        if code:
            os.write(terminal, chr(code).encode())

    def said(*_):
        global status
        try:
            text = os.read(terminal, 4096)
        except OSError:
            text = b""
        os.write(1, text)
        if not text:
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            Gtk.main_quit()
        return bool(text)

    window.connect("key-press-event", typed)
    GLib.io_add_watch(terminal, GLib.IO_IN | GLib.IO_HUP, said)


def focused(*_):
    if window.has_toplevel_focus():
        window.disconnect(handler)
        GLib.idle_add(start)


window.connect("map-event", lambda *_: window.get_window().focus(0))
handler = window.connect("notify::has-toplevel-focus", focused)
window.show_all()
Gtk.main()
sys.exit(status)

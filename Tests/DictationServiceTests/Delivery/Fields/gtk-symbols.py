"""Prints which characters GTK 3 loses or changes when they are typed, as two lists of numbers in JSON.

The first is of keys that are named by the character's number, the second of the symbols that libxkbcommon, and so wtype,
chooses. No key is pressed: each goes to the object that composes the characters of a field.
"""
import ctypes, itertools, json, unicodedata
import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, Gtk

window = Gtk.Window()
window.realize()
composer = Gtk.IMContextSimple()
composer.set_client_window(window.get_window())
arrived = []
composer.connect("commit", lambda _, text: arrived.append(text))
symbols = ctypes.CDLL("libxkbcommon.so.0")


def arrives(character, symbol):
    arrived.clear()
    composer.reset()
    for kind in (Gdk.EventType.KEY_PRESS, Gdk.EventType.KEY_RELEASE):
        event = Gdk.Event.new(kind)
        event.key.window = window.get_window()
        event.key.keyval = symbol
        composer.filter_keypress(event.key)
    return arrived == [character]


lost, renamed = [], []
# 16 bits count, so of what is above these, only the emoji and what ends like a Greek accent matter.
for number in itertools.chain(range(0x20, 0x10000), range(0x1F300, 0x1FB00), (0x107AE, 0x207AE)):
    character = chr(number)
    if unicodedata.category(character) in ("Cc", "Cn", "Co", "Cs"):
        continue
    is_latin = number < 0x7F or 0xA0 <= number <= 0xFF
    if not arrives(character, number if is_latin else 0x1000000 | number):
        lost.append(number)
    elif not arrives(character, symbols.xkb_utf32_to_keysym(number)):
        renamed.append(number)
print(json.dumps([lost, renamed]))

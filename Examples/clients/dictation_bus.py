#!/usr/bin/python3
"""Asks the dictation service on D-Bus: dictation_bus.py [start | stop | toggle | cancel | pause | resume | last | status]

Needs Debian's python3-gi."""
import sys
from gi.repository import Gio, GLib

name, path = "org.swift_dictation.Dictation1", "/org/swift_dictation/Dictation1"
intent = (sys.argv + ["status"])[1].capitalize()
service = Gio.DBusProxy.new_for_bus_sync(Gio.BusType.SESSION, Gio.DBusProxyFlags.NONE, None, name, path, name, None)
try:
    if intent == "Status":
        sys.exit(print(service.get_cached_property("State").unpack()))
    profile = GLib.Variant("(s)", ("",)) if intent in ("Start", "Toggle") else None
    answer, take, text, json = service.call_sync(intent, profile, Gio.DBusCallFlags.NONE, 60_000, None)
    print(text if answer == "text" else answer)
except GLib.Error as error:
    sys.exit(error.message)

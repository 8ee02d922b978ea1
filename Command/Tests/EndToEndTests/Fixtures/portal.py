#!/usr/bin/python3
"""Plays the portal for global shortcuts on the session bus: portal.py CODE

CODE is the user's answer to the question for a key: 0 agrees, 1 declines.
"""
import sys
import dbus
import dbus.mainloop.glib
import dbusmock
from gi.repository import GLib

dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
name, path = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"
owner = dbus.service.BusName(name, bus, allow_replacement=False, replace_existing=False, do_not_queue=True)
portal = dbusmock.DBusMockObject(owner, path, "org.freedesktop.portal.GlobalShortcuts", {})
session = path + "/session/test/dictation"
respond = '''
request = "/org/freedesktop/portal/desktop/request/test/" + args[-1]["handle_token"]
if request not in objects:
    self.AddObject(request, "org.freedesktop.portal.Request", {}, [])
code, results = (%s), {%s}
objects[request].EmitSignal("", "Response", "ua{sv}", [dbus.UInt32(code), results])
ret = dbus.ObjectPath(request)
'''
portal.AddMethod("", "CreateSession", "a{sv}", "o", respond % ("0", f'"session_handle": "{session}"'))
portal.AddMethod("", "BindShortcuts", "oa(sa{sv})sa{sv}", "o", respond % (sys.argv[1], ""))
portal.AddObject(session, "org.freedesktop.portal.Session", {}, [])
GLib.MainLoop().run()

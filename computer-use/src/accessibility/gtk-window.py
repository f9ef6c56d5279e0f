"""A GTK window for tests. Writes what happens to it as lines, and obeys the lines that it reads."""

import json
import sys
import time

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402

window = Gtk.Window(title=sys.argv[1] if len(sys.argv) > 1 else "Probe")
window.set_default_size(400, 300)
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
window.add(box)
widgets = {}


def say(**event):
    print(json.dumps(event), flush=True)


def add(name, widget):
    widgets[name] = widget
    box.pack_start(widget, False, False, 0)
    return widget


def button(name):
    add(name, Gtk.Button(label=name)).connect("clicked", lambda _widget: say(clicked=name))


bar = Gtk.MenuBar()
top = Gtk.MenuItem(label="File")
menu = Gtk.Menu()
item = Gtk.MenuItem(label="Open")
item.connect("activate", lambda _widget: say(activated="Open"))
menu.append(item)
top.set_submenu(menu)
bar.append(top)
add("bar", bar)
button("Save")
button("Save as")
entry = add("entry", Gtk.Entry())
entry.get_accessible().set_name("Title")
entry.connect("focus-in-event", lambda *_event: say(focused="Title"))
add("Agree", Gtk.CheckButton(label="Agree"))
choice = add("choice", Gtk.ComboBoxText())
choice.get_accessible().set_name("Choice")
for option in ("One", "Two", "Three"):
    choice.append_text(option)
choice.connect("changed", lambda widget: say(chosen=widget.get_active_text()))
add("number", Gtk.SpinButton.new_with_range(0, 10, 1)).get_accessible().set_name("Number")


def obey(source, _condition):
    line = source.readline().strip()
    if not line:
        return False
    verb, _space, name = line.partition(" ")
    if verb == "remove":
        widgets.pop(name).destroy()
    elif verb == "add":
        button(name)
        box.show_all()
    elif verb in ("disable", "enable"):
        widgets[name].set_sensitive(verb == "enable")
    elif verb == "labels":
        for index in range(int(name)):
            add(f"label {index}", Gtk.Label(label=f"label {index}"))
        box.show_all()
    elif verb == "page":
        pages = add("pages", Gtk.Notebook(show_tabs=False))
        pages.append_page(Gtk.Button(label=name))
        box.show_all()
    elif verb == "hang":
        time.sleep(float(name))
    say(done=line)
    return True


GLib.io_add_watch(sys.stdin, GLib.IO_IN, obey)
window.connect("destroy", Gtk.main_quit)
window.show_all()
say(ready=True)
Gtk.main()

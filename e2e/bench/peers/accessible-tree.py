"""Prints the milliseconds in which libatspi reads a tree: roles, names, states, places and children."""

import sys
import time

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi  # noqa: E402


def read(node):
    facts = (node.get_role_name(), node.get_name(), node.get_state_set().get_states())
    component = node.get_component_iface()
    place = component.get_extents(Atspi.CoordType.SCREEN) if component else None
    children = [node.get_child_at_index(index) for index in range(node.get_child_count())]
    return 1 + sum(read(child) for child in children if child) if facts or place else 0


begun = time.perf_counter()
count = read(Atspi.get_desktop(0))
print((time.perf_counter() - begun) * 1000)
if count < int(sys.argv[1]):
    sys.exit(f"the tree has {count} nodes")

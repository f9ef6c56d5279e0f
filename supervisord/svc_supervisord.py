"""Starts supervisord without setuptools' pkg_resources, which it needs for one small thing and which takes half of the
time and a third of the memory of its start."""

import importlib
import sys
import types


class EntryPoint:
    """`x=module:name`, the one form that supervisord reads."""

    def __init__(self, spec):
        self._module, self._name = spec.removeprefix("x=").split(":")

    @classmethod
    def parse(cls, spec):
        return cls(spec)

    def resolve(self):
        return getattr(importlib.import_module(self._module), self._name)


stand_in = types.ModuleType("pkg_resources")
stand_in.EntryPoint = EntryPoint
sys.modules["pkg_resources"] = stand_in

from supervisor.options import VERSION  # noqa: E402
from supervisor.supervisord import main  # noqa: E402

# This file, svc_wakeup and svc_end replace parts of this version.
KNOWN_VERSION = "4.2.5"
if VERSION != KNOWN_VERSION:
    sys.exit(f"sandbox: supervisor is {VERSION}, and the image's changes to it are for {KNOWN_VERSION}")

main()

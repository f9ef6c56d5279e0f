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

from supervisor import http  # noqa: E402
from supervisor.options import VERSION, ServerOptions  # noqa: E402
from supervisor.supervisord import main  # noqa: E402

# This file and those that svc_wakeup installs replace parts of this version.
KNOWN_VERSION = "4.2.5"
if VERSION != KNOWN_VERSION:
    sys.exit(f"sandbox: supervisor is {VERSION}, and the image's changes to it are for {KNOWN_VERSION}")



def make_logger_without_noise(options, make=ServerOptions.make_logger):
    """An empty directory of own programs is not a fault."""
    options.parse_warnings[:] = [text for text in options.parse_warnings if not text.startswith("No file matches")]
    make(options)


def make_servers_without_noise(options, supervisord, make=http.make_http_servers):
    """The one server is a socket that only root may connect to, and needs no password."""
    critical = options.logger.critical
    options.logger.critical = options.logger.debug
    try:
        return make(options, supervisord)
    finally:
        options.logger.critical = critical


ServerOptions.make_logger = make_logger_without_noise
http.make_http_servers = make_servers_without_noise

main()

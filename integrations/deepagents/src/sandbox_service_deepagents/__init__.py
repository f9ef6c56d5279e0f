"""Backend of deepagents in a running sandbox service."""

from .backend import SandboxServiceBackend, SandboxServiceProvider

__all__ = ["SandboxServiceBackend", "SandboxServiceProvider"]

"""Inspect AI sandbox environment in a running sandbox service."""

from .environment import SandboxServiceConfig, SandboxServiceEnvironment

__all__ = ["SandboxServiceConfig", "SandboxServiceEnvironment"]

"""Computer-use tools on the desktop of a running sandbox service."""

from .anthropic_tools import AnthropicTools
from .desktop import Desktop, ServiceError

__all__ = ["AnthropicTools", "Desktop", "ServiceError"]

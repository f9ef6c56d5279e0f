"""The computer of OpenAI's Agents SDK."""

from __future__ import annotations

import base64
from typing import Any

from agents import AsyncComputer
from agents.computer import Button, Environment

from .desktop import Action, Desktop

# Pixels of a page for one notch of a wheel.
NOTCH_PIXELS = 100
WAIT_SECONDS = 2
_BUTTONS = {"left": "left", "right": "right", "wheel": "middle"}
_KEYS = {
    "arrowleft": "Left",
    "arrowright": "Right",
    "arrowup": "Up",
    "arrowdown": "Down",
    "cmd": "super",
    "option": "alt",
    "pagedown": "Page_Down",
    "pageup": "Page_Up",
}


class SandboxComputer(AsyncComputer):
    """For `ComputerTool(computer=…)`. Make it by `create`, which asks for the size of the display."""

    def __init__(self, desktop: Desktop, size: tuple[int, int]) -> None:
        self._desktop = desktop
        self._size = size

    @classmethod
    async def create(cls, desktop: Desktop) -> SandboxComputer:
        return cls(desktop, await desktop.size())

    @property
    def environment(self) -> Environment:
        return "ubuntu"

    @property
    def dimensions(self) -> tuple[int, int]:
        return self._size

    async def screenshot(self) -> str:
        return base64.b64encode(await self._desktop.picture()).decode()

    async def click(self, x: int, y: int, button: Button = "left", *, keys: list[str] | None = None) -> None:
        if button in ("back", "forward"):
            # The display has no such buttons: a browser takes the keys.
            arrow = "Left" if button == "back" else "Right"
            await self._act(keys, _move(x, y), {"action_type": "HOTKEY", "keys": ["alt", arrow]})
            return
        await self._act(keys, {"action_type": "CLICK", "x": x, "y": y, "button": _BUTTONS[button]})

    async def double_click(self, x: int, y: int, *, keys: list[str] | None = None) -> None:
        await self._act(keys, {"action_type": "DOUBLE_CLICK", "x": x, "y": y})

    async def scroll(self, x: int, y: int, scroll_x: int, scroll_y: int, *, keys: list[str] | None = None) -> None:
        notches = {"dx": _notches(scroll_x), "dy": _notches(scroll_y)}
        await self._act(keys, _move(x, y), {"action_type": "SCROLL", **notches})

    async def type(self, text: str) -> None:
        await self._desktop.act({"action_type": "TYPING", "text": text})

    async def wait(self) -> None:
        await self._desktop.act({"action_type": "WAIT", "duration": WAIT_SECONDS})

    async def move(self, x: int, y: int, *, keys: list[str] | None = None) -> None:
        await self._act(keys, _move(x, y))

    async def keypress(self, keys: list[str]) -> None:
        await self._desktop.act({"action_type": "HOTKEY", "keys": [_key(name) for name in keys]})

    async def drag(self, path: list[tuple[int, int]], *, keys: list[str] | None = None) -> None:
        if not path:
            return
        (first, *rest) = path
        moves = [_move(*point) for point in rest]
        down, up = ({"action_type": kind, "button": "left"} for kind in ("MOUSE_DOWN", "MOUSE_UP"))
        await self._act(keys, _move(*first), down, *moves, up)

    async def _act(self, keys: list[str] | None, *actions: Action) -> None:
        names = [_key(name) for name in keys or []]
        down: list[Action] = [{"action_type": "KEY_DOWN", "key": name} for name in names]
        up: list[Action] = [{"action_type": "KEY_UP", "key": name} for name in reversed(names)]
        await self._desktop.act(*down, *actions, *up)


def _key(name: str) -> str:
    return _KEYS.get(name.lower(), name)


def _move(x: int, y: int) -> dict[str, Any]:
    return {"action_type": "MOVE_TO", "x": x, "y": y}


def _notches(pixels: int) -> int:
    steps = round(pixels / NOTCH_PIXELS)
    return steps if steps or not pixels else (1 if pixels > 0 else -1)

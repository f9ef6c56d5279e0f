"""Anthropic's tools `computer`, `bash` and `str_replace_based_edit_tool`."""

from __future__ import annotations

import base64
import uuid
from typing import Any

from .desktop import Action, Desktop, ServiceError

BASH_SECONDS = 120
EDIT_SECONDS = 60
HOLD_SECONDS = 10
_CLICKS = {
    "left_click": ("left", 1),
    "right_click": ("right", 1),
    "middle_click": ("middle", 1),
    "double_click": ("left", 2),
    "triple_click": ("left", 3),
}
_NOTCHES = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
# Variables, functions and the directory of a command reach the next one. $1 is the file, $2 the command.
_BASH = """[ -f "$1" ] && . "$1"
__file=$1 __command=$2
shift 2
trap '{ export -p; declare -f; printf "cd -- %q\\n" "$PWD"; } >"$__file"' EXIT
eval "$__command" """
_VIEW = """if [ -d "$1" ]; then cd -- "$1" && exec find . -mindepth 1 -maxdepth 2 -not -path '*/.*'; fi
exec cat -- "$1" """
_WRITE = 'mkdir -p -- "$(dirname -- "$1")" && exec cat >"$1"'


class AnthropicTools:
    """Calls by the name and input of a `tool_use` block. The types name the versions that are served."""

    def __init__(self, desktop: Desktop) -> None:
        self._desktop = desktop
        self._state = self._new_state()

    async def definitions(self) -> list[dict[str, Any]]:
        """The value of `tools` of a request, with the size of the display."""
        width, height = await self._desktop.size()
        display = {"display_width_px": width, "display_height_px": height}
        return [
            {"type": "computer_20251124", "name": "computer", **display, "enable_zoom": True},
            {"type": "bash_20250124", "name": "bash"},
            {"type": "text_editor_20250728", "name": "str_replace_based_edit_tool"},
        ]

    async def call(self, name: str, given: dict[str, Any]) -> dict[str, Any]:
        """The fields of a `tool_result` block beside its id."""
        tools = {"computer": self._computer, "bash": self._bash, "str_replace_based_edit_tool": self._edit}
        try:
            if name not in tools:
                raise ServiceError(f"no tool {name}: there are {', '.join(tools)}")
            return {"content": await tools[name](given), "is_error": False}
        except (KeyError, TypeError, ValueError) as error:
            return _failed(f"invalid input: {type(error).__name__} {error}")
        except ServiceError as error:
            return _failed(str(error))

    async def _computer(self, given: dict[str, Any]) -> list[dict[str, Any]]:
        action = given["action"]
        if action == "cursor_position":
            x, y = await self._desktop.cursor()
            return _text(f"X={x},Y={y}")
        if action == "zoom":
            left, top, right, bottom = given["region"]
            return _image(await self._desktop.picture((left, top, right - left, bottom - top)))
        if action != "screenshot":
            await self._desktop.act(*_actions_of(action, given))
        return _image(await self._desktop.picture())

    async def _bash(self, given: dict[str, Any]) -> list[dict[str, Any]]:
        if given.get("restart"):
            self._state = self._new_state()
            return _text("restarted")
        ran = await self._desktop.run(_BASH, [self._state, given["command"]], seconds=BASH_SECONDS)
        if ran["status"] == "timed_out":
            raise ServiceError(f"{ran['output']}\nthe command was ended after {BASH_SECONDS} s")
        code = ran["exit_code"]
        return _text(ran["output"] if code == 0 else f"{ran['output']}\nexit code {code}".lstrip("\n"))

    async def _edit(self, given: dict[str, Any]) -> list[dict[str, Any]]:
        command, path = given["command"], given["path"]
        if command == "view":
            return _text(_numbered(await self._read(path), given.get("view_range")))
        if command == "create":
            await self._write(path, given["file_text"])
            return _text(f"created {path}")
        before = await self._read(path)
        if command == "str_replace":
            count = before.count(given["old_str"])
            if count != 1:
                raise ServiceError(f"old_str occurs {count} times in {path}: it has to occur once")
            await self._write(path, before.replace(given["old_str"], given.get("new_str", "")))
        elif command == "insert":
            lines = before.splitlines(keepends=True)
            if not 0 <= given["insert_line"] <= len(lines):
                raise ServiceError(f"insert_line: {path} has {len(lines)} lines")
            text = given.get("insert_text", given.get("new_str", ""))
            lines.insert(given["insert_line"], text if text.endswith("\n") else f"{text}\n")
            await self._write(path, "".join(lines))
        else:
            raise ServiceError(f"no command {command}: there are view, create, str_replace, insert")
        return _text(f"changed {path}")

    async def _read(self, path: str) -> str:
        ran = await self._desktop.run(_VIEW, [path], seconds=EDIT_SECONDS)
        if ran["exit_code"] != 0:
            raise ServiceError(ran["stderr"].strip() or ran["status"])
        if ran["truncated"]:
            raise ServiceError(f"{path} is too large for this tool")
        return str(ran["stdout"])

    async def _write(self, path: str, content: str) -> None:
        ran = await self._desktop.run(_WRITE, [path], seconds=EDIT_SECONDS, stdin=content)
        if ran["exit_code"] != 0:
            raise ServiceError(ran["stderr"].strip() or ran["status"])

    @staticmethod
    def _new_state() -> str:
        return f"/tmp/.computer-use-{uuid.uuid4().hex}"


def _actions_of(action: str, given: dict[str, Any]) -> list[Action]:
    at = _at(given["coordinate"]) if given.get("coordinate") is not None else None
    if action in _CLICKS:
        button, count = _CLICKS[action]
        return _held(given.get("text"), {"action_type": "CLICK", "button": button, "num_clicks": count, **(at or {})})
    if action == "scroll":
        dx, dy = (step * int(given["scroll_amount"]) for step in _NOTCHES[given["scroll_direction"]])
        return [*_moved(at), *_held(given.get("text"), {"action_type": "SCROLL", "dx": dx, "dy": dy})]
    if action == "left_click_drag":
        start = [{"action_type": "MOVE_TO", **_at(given["start_coordinate"])}]
        return [*start, *_held(given.get("text"), {"action_type": "DRAG_TO", **_at(given["coordinate"])})]
    if action == "mouse_move":
        return [{"action_type": "MOVE_TO", **_at(given["coordinate"])}]
    if action in ("left_mouse_down", "left_mouse_up"):
        return [*_moved(at), {"action_type": action.removeprefix("left_").upper(), "button": "left"}]
    if action == "type":
        return [{"action_type": "TYPING", "text": given["text"]}]
    if action == "key":
        return [{"action_type": "HOTKEY", "keys": _keys(chord)} for chord in given["text"].split()]
    if action == "hold_key":
        seconds = {"action_type": "WAIT", "duration": min(float(given["duration"]), HOLD_SECONDS)}
        return _held(given["text"], seconds)
    if action == "wait":
        return [{"action_type": "WAIT", "duration": min(float(given["duration"]), HOLD_SECONDS)}]
    raise ServiceError(f"no action {action}")


def _held(keys: str | None, *actions: Action) -> list[Action]:
    """Actions while keys are held."""
    names = _keys(keys) if keys else []
    down = [{"action_type": "KEY_DOWN", "key": name} for name in names]
    return [*down, *actions, *({"action_type": "KEY_UP", "key": name} for name in reversed(names))]


def _keys(chord: str) -> list[str]:
    return [chord] if chord == "+" else chord.replace("++", "+plus").split("+")


def _moved(at: Action | None) -> list[Action]:
    return [] if at is None else [{"action_type": "MOVE_TO", **at}]


def _at(coordinate: list[int]) -> Action:
    x, y = coordinate
    return {"x": x, "y": y}


def _numbered(text: str, view_range: list[int] | None) -> str:
    first, last = view_range or (1, -1)
    lines = text.split("\n")
    shown = lines[first - 1 : None if last == -1 else last]
    return "\n".join(f"{first + index}\t{line}" for index, line in enumerate(shown))


def _text(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text or "(no output)"}]


def _image(png: bytes) -> list[dict[str, Any]]:
    source = {"type": "base64", "media_type": "image/png", "data": base64.b64encode(png).decode()}
    return [{"type": "image", "source": source}]


def _failed(why: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": why}], "is_error": True}

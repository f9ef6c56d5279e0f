"""The backend: commands and files as the account of the sandbox."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from deepagents.backends.protocol import ExecuteResponse, FileDownloadResponse, FileUploadResponse, WriteResult
from deepagents.backends.sandbox import BaseSandbox

from .commands import Commands, Ran

T = TypeVar("T")
DEFAULT_SECONDS = 30 * 60
# Of each stream.
OUTPUT_BYTES = 10 * 1024**2
FILE_BYTES = 1024**3
# The account itself opens files, so that its rights decide. $1 is the path; the exit code names the error.
_READ = '[ -d "$1" ] && exit 21; [ -e "$1" ] || exit 2; [ -r "$1" ] || exit 13; exec cat <"$1"'
_WRITE = (
    '[ -d "$1" ] && exit 21; mkdir -p -- "$(dirname -- "$1")" || exit 13; '
    '[ ! -e "$1" ] || [ -w "$1" ] || exit 13; exec cat >"$1"'
)
# With noclobber the shell makes the file exclusively.
_MAKE = 'set -C; if ! true 2>/dev/null >"$1"; then [ -e "$1" ] && exit 17; exit 13; fi; set +C; exec cat >"$1"'
_ERRORS = {21: "is_directory", 2: "file_not_found", 13: "permission_denied", 17: "already exists"}


class SandboxServiceBackend(BaseSandbox):
    """A sandbox service; without arguments as SANDBOX_URL and SANDBOX_API_KEY say.

    `overwrite`: whether `write` replaces an existing file, as the tool `write_file` tells the model.
    """

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        user: str | None = None,
        cwd: str | None = None,
        overwrite: bool = True,
    ) -> None:
        self._url = url or os.environ.get("SANDBOX_URL", "http://localhost:8080")
        self._commands = Commands(self._url, api_key or os.environ.get("SANDBOX_API_KEY") or None)
        # A caller may be in a loop of its own, which a synchronous call holds.
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self._terms: dict[str, Any] = {"user": user, "cwd": cwd}
        self._overwrite = overwrite

    @property
    def id(self) -> str:
        return self._url

    def execute(self, command: str, *, timeout: int | None = None) -> ExecuteResponse:
        # 0: without a limit.
        seconds = DEFAULT_SECONDS if timeout is None else timeout or None
        terms = {"command": command, **self._terms}
        ran = self._wait(self._commands.run(terms, limit=OUTPUT_BYTES, timeout=seconds))
        output = _text(ran)
        if ran.status == "timed_out":
            return ExecuteResponse(f"{output}\nThe command was ended after {seconds} s.", 124, ran.is_cut)
        if ran.status == "failed":
            return ExecuteResponse(ran.message, 127, False)
        return ExecuteResponse(output, ran.exit_code, ran.is_cut)

    def upload_files(self, files: list[tuple[str, bytes]]) -> list[FileUploadResponse]:
        return [FileUploadResponse(path=path, error=self._write(path, content)) for path, content in files]

    def download_files(self, paths: list[str]) -> list[FileDownloadResponse]:
        return [self._read(path) for path in paths]

    def write(self, file_path: str, content: str) -> WriteResult:
        if self._overwrite:
            return super().write(file_path, content)
        fault = self._write_preflight(file_path)
        error = None if fault else _error_of(self._shell(_MAKE, file_path, content.encode()))
        if error:
            return WriteResult(error=f"Failed to write file '{file_path}': {error}")
        return fault or WriteResult(path=file_path)

    async def awrite(self, file_path: str, content: str) -> WriteResult:
        return await asyncio.to_thread(self.write, file_path, content)

    def close(self) -> None:
        self._wait(self._commands.close())
        self._loop.call_soon_threadsafe(self._loop.stop)

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        ended = threading.Event()
        tasks: list[asyncio.Task[T]] = []

        def begin() -> None:
            tasks.append(self._loop.create_task(work))
            tasks[0].add_done_callback(lambda _: ended.set())

        self._loop.call_soon_threadsafe(begin)
        try:
            ended.wait()
        except BaseException:
            # An interrupted call ends its command first.
            self._loop.call_soon_threadsafe(lambda: tasks[0].cancel())
            ended.wait()
            raise
        return tasks[0].result()

    def _write(self, path: str, content: bytes) -> Any:
        if not path.startswith("/"):
            return "invalid_path"
        return _error_of(self._shell(_WRITE, path, content))

    def _read(self, path: str) -> FileDownloadResponse:
        if not path.startswith("/"):
            return FileDownloadResponse(path=path, content=None, error="invalid_path")
        ran = self._shell(_READ, path)
        error = _error_of(ran)
        return FileDownloadResponse(path=path, content=None if error else ran.output("stdout"), error=error)

    def _shell(self, script: str, path: str, stdin: bytes = b"") -> Ran:
        command = {"command": "sh", "args": ["-c", script, "sh", path], "shell": "none", **self._terms}
        return self._wait(self._commands.run(command, limit=FILE_BYTES, stdin=stdin))


class SandboxServiceProvider:
    """Gives backends as the command line of deepagents asks for them; a service is one sandbox."""

    def __init__(self, url: str | None = None, api_key: str | None = None) -> None:
        self._url = url
        self._api_key = api_key

    def get_or_create(self, *, sandbox_id: str | None = None, **_: Any) -> SandboxServiceBackend:
        """`sandbox_id`: the address of the service, as `id` of a backend."""
        return SandboxServiceBackend(sandbox_id or self._url, self._api_key)

    def delete(self, *, sandbox_id: str, **_: Any) -> None:
        """Does nothing: the service and its files stay."""


def _error_of(ran: Ran) -> Any:
    if ran.exit_code == 0 and not ran.is_cut:
        return None
    if ran.is_cut:
        return f"the file has over {FILE_BYTES} bytes"
    # Else the words of the shell, such as those of a full disk.
    return _ERRORS.get(ran.exit_code or 0) or _text(ran).strip() or ran.message


def _text(ran: Ran) -> str:
    return ran.output("stdout", "stderr").decode(errors="replace")

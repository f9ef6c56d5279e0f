"""The sandbox environment: commands and files as an account of the sandbox."""

from __future__ import annotations

import os
import posixpath
from typing import Any, Literal, overload

from inspect_ai.util import (
    ExecResult,
    OutputLimitExceededError,
    SandboxEnvironment,
    SandboxEnvironmentConfigType,
    SandboxEnvironmentLimits,
    sandboxenv,
)
from pydantic import BaseModel

from .commands import Commands, Ran, ServiceError

# The account itself opens files, so that its rights decide. $1 is the path.
_DIRECTORY, _UNREADABLE, _MISSING, _LARGE = 21, 13, 2, 27
_READ = f"""[ -d "$1" ] && exit {_DIRECTORY}
[ -e "$1" ] || exit {_MISSING}
[ -r "$1" ] || exit {_UNREADABLE}
[ "$(wc -c <"$1")" -le "$2" ] || exit {_LARGE}
exec cat <"$1" """
_WRITE = f"""[ -d "$1" ] && exit {_DIRECTORY}
mkdir -p -- "$(dirname -- "$1")" || exit {_UNREADABLE}
[ ! -e "$1" ] || [ -w "$1" ] || exit {_UNREADABLE}
exec cat >"$1" """
# Commands of other accounts begin there too.
_MAKE = 'made=$(mktemp -d /tmp/inspect-XXXXXXXX) && chmod 755 "$made" && echo "$made"'
_ERRORS: dict[int | None, type[OSError]] = {
    _DIRECTORY: IsADirectoryError,
    _UNREADABLE: PermissionError,
    _MISSING: FileNotFoundError,
}
_WORDS = {_DIRECTORY: "is a directory", _UNREADABLE: "permission denied", _MISSING: "no such file"}
_MARGIN = 64 * 1024


class SandboxServiceConfig(BaseModel, frozen=True):
    """Without a field the variables SANDBOX_URL and SANDBOX_API_KEY apply."""

    url: str | None = None
    api_key: str | None = None
    user: str | None = None
    """Account of commands and files; unset: that of the service."""


@sandboxenv(name="sandbox_service")
class SandboxServiceEnvironment(SandboxEnvironment):
    """A directory of its own for each sample on the machine of the service."""

    def __init__(self, commands: Commands, directory: str, user: str | None = None) -> None:
        self._commands = commands
        self._user = user
        self.directory = directory

    @classmethod
    def config_deserialize(cls, config: dict[str, object]) -> BaseModel:
        return SandboxServiceConfig.model_validate(config)

    @classmethod
    async def sample_init(
        cls, task_name: str, config: SandboxEnvironmentConfigType | None, metadata: dict[str, str]
    ) -> dict[str, SandboxEnvironment]:
        terms = SandboxServiceConfig(url=config) if isinstance(config, str) else config or SandboxServiceConfig()
        assert isinstance(terms, SandboxServiceConfig), f"not a SandboxServiceConfig: {config!r}"
        url = terms.url or os.environ.get("SANDBOX_URL", "http://localhost:8080")
        commands = Commands(url, terms.api_key or os.environ.get("SANDBOX_API_KEY") or None)
        new = cls(commands, "/tmp", terms.user)
        made = await new._run(["sh", "-c", _MAKE], limit=_MARGIN)
        if made.exit_code != 0:
            await commands.close()
            raise RuntimeError(f"no directory for the sample: {_text(made, 'stderr')}{made.message}")
        new.directory = _text(made, "stdout").strip()
        return {"default": new}

    @classmethod
    async def sample_cleanup(
        cls,
        task_name: str,
        config: SandboxEnvironmentConfigType | None,
        environments: dict[str, SandboxEnvironment],
        interrupted: bool,
    ) -> None:
        for environment in environments.values():
            if isinstance(environment, cls):
                try:
                    await environment._run(["rm", "-rf", "--", environment.directory], limit=_MARGIN)
                finally:
                    await environment._commands.close()

    async def exec(
        self,
        cmd: list[str],
        input: str | bytes | None = None,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,
        timeout_retry: bool = True,
        concurrency: bool = True,
    ) -> ExecResult[str]:
        stdin = input.encode() if isinstance(input, str) else input or b""
        limit = SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE
        terms = {"cwd": self._path(cwd or "."), "env": env or {}, "user": user or self._user}
        try:
            ran = await self._run(cmd, limit=limit, stdin=stdin, timeout=timeout, **terms)
        except ServiceError as error:
            if error.status != 400 or "user does not exist" not in error.message:
                raise
            return ExecResult(False, 126, "", f"unable to find user {user}: {error}")
        if ran.status == "timed_out":
            raise TimeoutError(f"the command was ended after {timeout} s")
        if ran.status == "failed":
            # As of a shell: found, and not executable.
            if ran.exit_code == 126:
                raise PermissionError(ran.message)
            return ExecResult(False, 127, "", ran.message)
        if ran.is_cut:
            stream = "stdout" if len(ran.output("stdout")) == limit else "stderr"
            raise OutputLimitExceededError(SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE_STR, _text(ran, stream))
        code = -1 if ran.exit_code is None else ran.exit_code
        return ExecResult(code == 0, code, ran.output("stdout").decode(), ran.output("stderr").decode())

    async def write_file(self, file: str, contents: str | bytes) -> None:
        stdin = contents.encode() if isinstance(contents, str) else contents
        ran = await self._run(["sh", "-c", _WRITE, "sh", self._path(file)], limit=_MARGIN, stdin=stdin)
        _raise_for(ran, file)

    @overload
    async def read_file(self, file: str, text: Literal[True] = True) -> str: ...

    @overload
    async def read_file(self, file: str, text: Literal[False]) -> bytes: ...

    async def read_file(self, file: str, text: bool = True) -> str | bytes:
        most = SandboxEnvironmentLimits.MAX_READ_FILE_SIZE
        ran = await self._run(["sh", "-c", _READ, "sh", self._path(file), str(most)], limit=most + _MARGIN)
        if ran.exit_code == _LARGE:
            raise OutputLimitExceededError(SandboxEnvironmentLimits.MAX_READ_FILE_SIZE_STR, None)
        _raise_for(ran, file)
        content = ran.output("stdout")
        return content.decode() if text else content

    def _path(self, path: str) -> str:
        return posixpath.join(self.directory, path)

    async def _run(
        self, cmd: list[str], *, limit: int, stdin: bytes = b"", timeout: float | None = None, **terms: object
    ) -> Ran:
        command = {"command": cmd[0], "args": cmd[1:], "shell": "none", "cwd": "/tmp", "user": self._user, **terms}
        return await self._commands.run(command, limit=limit, ends_at_limit=True, stdin=stdin, timeout=timeout)


def _raise_for(ran: Ran, file: str) -> None:
    kind = _ERRORS.get(ran.exit_code)
    if kind is not None:
        raise kind(f"{file}: {_WORDS[ran.exit_code or 0]}")
    if ran.exit_code != 0:
        raise OSError(f"{file}: {_text(ran, 'stderr').strip() or ran.message or ran.status}")


def _text(ran: Ran, *streams: str) -> str:
    return ran.output(*streams).decode(errors="replace")

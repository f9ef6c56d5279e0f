"""Drives each verb of RemoteRuntime of swe-rex; prints "passed". Configured by SWEREX_*."""

import asyncio
import os
import tempfile
from pathlib import Path

from swerex import exceptions
from swerex.runtime.abstract import (
    BashAction,
    BashInterruptAction,
    CloseBashSessionRequest,
    Command,
    CreateBashSessionRequest,
    ReadFileRequest,
    UploadRequest,
    WriteFileRequest,
)
from swerex.runtime.remote import RemoteRuntime

PORT = os.environ["SWEREX_PORT"]
RUNTIME = RemoteRuntime(
    host=os.environ["SWEREX_HOST"], port=int(PORT) if PORT else None, auth_token=os.environ["SWEREX_KEY"]
)


async def fails(kind, call):
    try:
        await call
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


def run(command, **terms):
    return RUNTIME.run_in_session(BashAction(command=command, **terms))


async def commands():
    done = await RUNTIME.execute(Command(command=["bash", "-lc", "echo out; echo err >&2; exit 3"]))
    assert (done.stdout, done.stderr, done.exit_code) == ("out\n", "err\n", 3), done
    assert (await RUNTIME.execute(Command(command="echo '\n \nhi'", shell=True))).stdout == "\n \nhi\n"
    await fails(exceptions.CommandTimeoutError, RUNTIME.execute(Command(command=["sleep", "60"], timeout=0.2)))
    await fails(exceptions.NonZeroExitCodeError, RUNTIME.execute(Command(command=["false"], check=True)))
    await fails(FileNotFoundError, RUNTIME.execute(Command(command=["no-such-program"])))
    many = await asyncio.gather(*(RUNTIME.execute(Command(command=["echo", str(n)])) for n in range(32)))
    assert [one.stdout for one in many] == [f"{n}\n" for n in range(32)]


async def sessions():
    await RUNTIME.create_session(CreateBashSessionRequest(startup_timeout=30))
    await fails(exceptions.SessionExistsError, RUNTIME.create_session(CreateBashSessionRequest()))
    assert (await run("echo 'hello\nworld'", check="raise")).output == "hello\nworld\n"
    assert (await run("\n echo 'test1' \n \n echo 'test2' \n")).output == "test1\ntest2\n"
    heredoc = "python3 <<EOF\nprint('one')\nprint('two')\nEOF"
    assert (await run(heredoc)).output == "one\ntwo\n"
    assert (await run("[[ $env == $env ]]")).exit_code == 0
    assert (await run("no-such-program", check="silent")).exit_code == 127
    await fails(exceptions.NonZeroExitCodeError, run("false", check="raise"))
    syntax = await fails(exceptions.BashIncorrectSyntaxError, run("(a"))
    assert {"bash_stdout", "bash_stderr"} <= set(syntax.extra_info), syntax.extra_info
    await run("(sleep 10) &")
    await fails(exceptions.CommandTimeoutError, run("sleep 60", timeout=0.2))
    await RUNTIME.run_in_session(BashInterruptAction(timeout=5))
    assert (await run("echo asdf")).output == "asdf\n"
    await fails(exceptions.SessionDoesNotExistError, run("ls", session="none"))


async def interactive():
    program = {"is_interactive_command": True, "expect": [">>> "], "timeout": 30}
    await run("TERM=dumb PYTHON_BASIC_REPL=1 python3 -q", **program)
    assert (await run("print('hello ' + 'world')", **program)).output.endswith("hello world")
    await run("quit()\n", is_interactive_quit=True, timeout=30)
    assert (await run("echo after")).output == "after\n"
    late = {"is_interactive_command": True, "expect": ["WONTHITTHIS"], "timeout": 0.2}
    await fails(exceptions.CommandTimeoutError, run("cat", **late))
    await RUNTIME.run_in_session(BashInterruptAction(timeout=5))
    assert (await run("echo again")).output.endswith("again\n")


async def files(root):
    await RUNTIME.write_file(WriteFileRequest(path=f"{root}/new/a.txt", content="text ü" * 100_000))
    assert (await RUNTIME.read_file(ReadFileRequest(path=f"{root}/new/a.txt"))).content == "text ü" * 100_000
    await fails(FileNotFoundError, RUNTIME.read_file(ReadFileRequest(path="non_existent.txt")))
    with tempfile.TemporaryDirectory() as here:
        source = Path(here) / "source"
        (source / "deep").mkdir(parents=True)
        (source / "one.txt").write_text("one")
        (source / "deep/two.txt").write_text("two")
        await RUNTIME.upload(UploadRequest(source_path=str(source), target_path=f"{root}/tree"))
        await RUNTIME.upload(UploadRequest(source_path=str(source / "one.txt"), target_path=f"{root}/single"))
    for path, content in (("tree/one.txt", "one"), ("tree/deep/two.txt", "two"), ("single", "one")):
        assert (await RUNTIME.read_file(ReadFileRequest(path=f"{root}/{path}"))).content == content


async def main():
    await RUNTIME.wait_until_alive(timeout=30)
    assert await RUNTIME.is_alive(timeout=30)
    await commands()
    await sessions()
    await interactive()
    root = (await RUNTIME.execute(Command(command=["mktemp", "-d"]))).stdout.strip()
    await files(root)
    await RUNTIME.execute(Command(command=["rm", "-rf", root], check=True))
    await RUNTIME.close_session(CloseBashSessionRequest())
    await fails(exceptions.SessionDoesNotExistError, RUNTIME.close_session(CloseBashSessionRequest()))
    await RUNTIME.close()
    print("passed")


asyncio.run(main())

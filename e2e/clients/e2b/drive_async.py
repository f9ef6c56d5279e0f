"""Drives E2B's asynchronous Python SDK and code interpreter; prints "passed". Configured by E2B_*."""

import asyncio

from e2b import FileType, PtySize, exceptions
from e2b_code_interpreter import AsyncSandbox
from passed import passed


async def fails(kind, call):
    try:
        await call
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


async def main():
    sandbox = await AsyncSandbox.create(timeout=300, envs={"FOO": "bar"})
    done = await sandbox.commands.run("echo out $FOO; echo err >&2")
    assert (done.stdout, done.stderr) == ("out bar\n", "err\n"), done
    failed = await fails(exceptions.SandboxException, sandbox.commands.run("exit 7"))
    assert failed.exit_code == 7
    handle = await sandbox.commands.run("cat", background=True, stdin=True)
    await sandbox.commands.send_stdin(handle.pid, "typed")
    await sandbox.commands.close_stdin(handle.pid)
    assert (await handle.wait()).stdout == "typed"
    handle = await sandbox.commands.run("sleep 600", background=True)
    assert handle.pid in [process.pid for process in await sandbox.commands.list()]
    assert await sandbox.commands.kill(handle.pid)
    await fails(exceptions.TimeoutException, sandbox.commands.run("sleep 600", timeout=1))
    runs = await asyncio.gather(*(sandbox.commands.run(f"echo {n}; sleep 0.2") for n in range(32)))
    assert [run.stdout for run in runs] == [f"{n}\n" for n in range(32)]

    await sandbox.files.write("async/a", "text ü")
    assert await sandbox.files.read("async/a") == "text ü"
    meta = {"author": "mish"}
    assert (await sandbox.files.write("async/a", "text ü", metadata=meta)).metadata == meta
    assert (await sandbox.files.get_info("async/a")).metadata == meta
    stream = await sandbox.files.read("async/a", format="stream")
    assert b"".join([piece async for piece in stream]) == "text ü".encode()
    assert [(entry.name, entry.type) for entry in await sandbox.files.list("async")] == [("a", FileType.FILE)]
    events = []
    watch = await sandbox.files.watch_dir("async", on_event=lambda event: events.append((event.type.value, event.name)))
    await sandbox.files.write("async/b", "1")
    for _ in range(100):
        if ("create", "b") in events:
            break
        await asyncio.sleep(0.05)
    assert ("create", "b") in events, events
    await watch.stop()
    await sandbox.files.remove("async")
    assert not await sandbox.files.exists("async")

    output = []
    terminal = await sandbox.pty.create(PtySize(rows=24, cols=80), on_data=output.append)
    await sandbox.pty.send_stdin(terminal.pid, b"echo p$((40+2)); exit 5\n")
    assert (await fails(exceptions.SandboxException, terminal.wait())).exit_code == 5
    assert "p42" in b"".join(output).decode()

    run = await sandbox.run_code('print("p")\n1 + 1')
    assert (run.text, run.logs.stdout) == ("2", ["p\n"]), run
    context = await sandbox.create_code_context(cwd="/tmp")
    assert (await sandbox.run_code("import os; os.getcwd()", context=context)).text == "/tmp"
    await sandbox.remove_code_context(context)
    assert (await sandbox.get_metrics())[0].cpu_count > 0
    await sandbox.set_timeout(600)
    assert (await (await AsyncSandbox.connect(sandbox.sandbox_id)).commands.run("echo same")).stdout == "same\n"
    assert await sandbox.is_running()
    assert await sandbox.kill()
    assert not await sandbox.is_running()
    passed()


asyncio.run(main())

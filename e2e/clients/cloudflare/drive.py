"""Drives each verb of CloudflareSandboxClient of openai-agents; prints "passed". Configured by CLOUDFLARE_*."""

import asyncio
import io
import os
import tarfile

from agents.extensions.sandbox.cloudflare import CloudflareSandboxClient, CloudflareSandboxClientOptions
from agents.sandbox import errors

URL = os.environ["CLOUDFLARE_WORKER_URL"]
OPTIONS = CloudflareSandboxClientOptions(worker_url=URL, exposed_ports=(3000,))


async def fails(kind, call):
    try:
        await call
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


async def commands(session):
    done = await session.exec("echo out $((1+1)); echo err >&2; exit 7")
    assert (done.stdout, done.stderr, done.exit_code) == (b"out 2\n", b"err\n", 7), done
    done = await session.exec("printf", "%s|", "a b", "$x", "'\"", shell=False)
    assert done.stdout == b"a b|$x|'\"|", done
    assert (await session.exec("seq 0 199999")).stdout == "".join(f"{n}\n" for n in range(200_000)).encode()
    assert (await session.exec("no-such-program", shell=False)).exit_code == 127
    late = await fails(errors.ExecTransportError, session.exec("echo begun; sleep 600", timeout=1))
    assert "ended after 1000 ms" in str(late.__cause__ or late), late
    many = await asyncio.gather(*(session.exec(f"echo {n}; sleep 0.1; echo {n}") for n in range(32)))
    assert [one.stdout for one in many] == [f"{n}\n{n}\n".encode() for n in range(32)]


async def files(session):
    await session.write("client/a b ü.bin", io.BytesIO(bytes(range(256)) * 1000))
    assert (await session.read("client/a b ü.bin")).read() == bytes(range(256)) * 1000
    seen = await session.exec("wc -c < '/workspace/client/a b ü.bin'")
    assert seen.stdout.strip() == b"256000", seen
    await fails(errors.WorkspaceReadNotFoundError, session.read("client/none"))
    await session.exec("ln -s /etc/passwd /workspace/client/link")
    await fails(errors.InvalidManifestPathError, session.read("client/link"))
    await session.exec("rm /workspace/client/link")
    await session.mkdir("client/made", parents=True)
    names = {os.path.basename(str(entry.path)) for entry in await session.ls("client")}
    assert {"a b ü.bin", "made"} <= names, names
    await session.rm("client/made", recursive=True)


async def terminals(session):
    assert session.supports_pty()
    update = await session.pty_exec_start("echo pty-$((40+2)); cat", tty=True, yield_time_s=2)
    process, output = update.process_id, update.output
    for wanted, typed in ((b"pty-42", ""), (b"typed", "typed\n")):
        while wanted not in output:
            update = await session.pty_write_stdin(session_id=process, chars=typed, yield_time_s=2)
            assert update.process_id == process, update
            output, typed = output + update.output, ""
    await session.pty_terminate_all()


async def archives(session):
    await session.exec("rm -rf /workspace/client; mkdir -p /workspace/client/deep; echo kept > /workspace/client/deep/f")
    tar = (await session.persist_workspace()).read()
    names = tarfile.open(fileobj=io.BytesIO(tar)).getnames()
    assert any(name.endswith("client/deep/f") for name in names), names
    await session.exec("echo changed > /workspace/client/deep/f")
    await session.hydrate_workspace(io.BytesIO(tar))
    assert (await session.read("client/deep/f")).read() == b"kept\n"
    only = io.BytesIO()
    with tarfile.open(fileobj=only, mode="w") as archive:
        member = tarfile.TarInfo("client/new")
        member.size = 3
        archive.addfile(member, io.BytesIO(b"new"))
    await session.hydrate_workspace(io.BytesIO(only.getvalue()))
    assert (await session.read("client/new")).read() == b"new"
    assert (await session.read("client/deep/f")).read() == b"kept\n"


async def main():
    client = CloudflareSandboxClient()
    session = await client.create(options=OPTIONS)
    await fails(errors.ConfigurationError, client.create(options=OPTIONS))
    await session.start()
    assert await session.running()
    await commands(session)
    await files(session)
    await terminals(session)
    await archives(session)
    await fails(errors.ExposedPortUnavailableError, session.resolve_exposed_port(3000))
    state = client.deserialize_session_state(client.serialize_session_state(session.state))
    resumed = await client.resume(state)
    await resumed.start()
    assert (await resumed.read("client/new")).read() == b"new"
    await client.delete(resumed)
    assert not await session.running()
    again = await client.resume(state)
    await again.start()
    assert (await again.exec("echo again")).stdout == b"again\n"
    await again.exec("rm -rf /workspace/client")
    await client.delete(again)
    print("passed")


asyncio.run(main())

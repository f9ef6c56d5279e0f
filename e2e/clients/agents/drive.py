"""32 agents at once over one protocol: nothing is mixed up and nothing is left behind. Configured by AGENTS_*.

Prints the calls of each kind and "passed".
"""

import asyncio
import collections
import json
import os
import sys
import time
import urllib.request

URL, KEY = os.environ["AGENTS_URL"], os.environ["AGENTS_KEY"]
SECONDS = float(os.environ["AGENTS_SECONDS"])
AGENTS = 32
counts = collections.Counter()


def service(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {"authorization": f"Bearer {KEY}", "content-type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(f"{URL}{path}", data, headers), timeout=120) as answer:
        return json.load(answer)["data"]


def shell(command):
    return service("/v2/commands", {"command": command})["stdout"]


def running():
    """What is open and running, and the temporary files of the protocols."""
    commands = [one["command_id"] for one in service("/v2/commands")["commands"] if one["status"] == "running"]
    terminals = service("/v2/pty/sessions")["sessions"]
    files = shell("ls -A /tmp | grep -E '^\\.(swe-rex|sandbox-session)-'; ls -d agent-* 2>/dev/null").split()
    return len(commands), len(terminals), sorted(files)


async def counted(kind, call):
    result = await call
    counts[kind] += 1
    return result


class CloudflareAgent:
    def __init__(self, number):
        self.name = f"agent-{number}"

    async def __aenter__(self):
        from agents.extensions.sandbox.cloudflare import CloudflareSandboxClient, CloudflareSandboxClientOptions

        self.client = CloudflareSandboxClient()
        options = CloudflareSandboxClientOptions(worker_url=f"{URL}/compat/cloudflare")
        self.session = await self.client.create(options=options)
        await self.session.start()
        return self

    async def __aexit__(self, *_):
        await self.session.exec(f"rm -rf {self.name}")
        await self.client.delete(self.session)

    async def turn(self, word):
        import io

        done = await counted("exec", self.session.exec(f"printf %s {word}; printf %s {word} >&2; exit 7"))
        assert (done.stdout, done.stderr, done.exit_code) == (word.encode(), word.encode(), 7), (word, done)
        content = f"{word}\n".encode() * 2000
        await counted("write", self.session.write(f"{self.name}/file", io.BytesIO(content)))
        seen = await counted("read", self.session.read(f"{self.name}/file"))
        assert seen.read() == content, word
        update = await counted("pty", self.session.pty_exec_start(f"echo {word}; cat", tty=True, yield_time_s=0.25))
        output = update.output
        while word.encode() not in output:
            update = await self.session.pty_write_stdin(session_id=update.process_id, chars="", yield_time_s=0.25)
            output += update.output
        others = [line for line in output.split() if line.startswith(b"word-") and word.encode() not in line]
        assert not others, (word, output)
        await self.session.pty_terminate_all()


class SweRexAgent:
    def __init__(self, number):
        from swerex.runtime.remote import RemoteRuntime

        self.name = f"agent-{number}"
        self.runtime = RemoteRuntime(host=f"{URL}/compat/swe-rex", auth_token=KEY)

    async def __aenter__(self):
        from swerex.runtime.abstract import CreateBashSessionRequest

        await self.runtime.create_session(CreateBashSessionRequest(session=self.name, startup_timeout=60))
        return self

    async def __aexit__(self, *_):
        from swerex.runtime.abstract import CloseBashSessionRequest, Command

        await self.runtime.execute(Command(command=["rm", "-rf", self.name]))
        await self.runtime.close_session(CloseBashSessionRequest(session=self.name))

    async def run(self, command, **terms):
        from swerex.runtime.abstract import BashAction

        action = BashAction(command=command, session=self.name, timeout=120, **terms)
        return await counted("run_in_session", self.runtime.run_in_session(action))

    async def turn(self, word):
        from swerex.runtime.abstract import Command, ReadFileRequest, WriteFileRequest

        await self.run(f"WORD={word}; export WORD")
        done = await self.run("echo $WORD; bash -c 'echo $WORD'")
        assert (done.output, done.exit_code) == (f"{word}\n{word}\n", 0), (word, done)
        failed = await self.run(f"printf %s {word}; (exit 7)", check="silent")
        assert (failed.output, failed.exit_code) == (word, 7), (word, failed)
        command = Command(command=["sh", "-c", f"printf %s {word}; printf %s {word} >&2; exit 7"])
        beside = await counted("execute", self.runtime.execute(command))
        assert (beside.stdout, beside.stderr, beside.exit_code) == (word, word, 7), (word, beside)
        path, content = f"{self.name}/file", f"{word}\n" * 2000
        await counted("write_file", self.runtime.write_file(WriteFileRequest(path=path, content=content)))
        seen = await counted("read_file", self.runtime.read_file(ReadFileRequest(path=path)))
        assert seen.content == content, word


class E2bAgent:
    def __init__(self, number):
        self.name = f"agent-{number}"

    async def __aenter__(self):
        from e2b import AsyncSandbox

        self.sandbox = await AsyncSandbox.create(timeout=3600, request_timeout=120)
        return self

    async def __aexit__(self, *_):
        await self.sandbox.files.remove(self.name, request_timeout=120)
        await self.sandbox.kill(request_timeout=120)

    async def turn(self, word):
        from e2b import CommandExitException

        try:
            await self.sandbox.commands.run(f"printf %s {word}; printf %s {word} >&2; exit 7", request_timeout=120)
            raise AssertionError("no exit code")
        except CommandExitException as end:
            assert (end.stdout, end.stderr, end.exit_code) == (word, word, 7), (word, end)
        counts["run"] += 1
        content = f"{word}\n" * 2000
        await counted("write", self.sandbox.files.write(f"{self.name}/file", content, request_timeout=120))
        assert await counted("read", self.sandbox.files.read(f"{self.name}/file", request_timeout=120)) == content, word


AGENT = {"cloudflare": CloudflareAgent, "swe-rex": SweRexAgent, "e2b": E2bAgent}[sys.argv[1]]


async def work(number, everyone):
    async with AGENT(number) as agent:
        await everyone.wait()
        until, turn = time.monotonic() + SECONDS, 0
        while time.monotonic() < until:
            await agent.turn(f"word-{number}-{turn}-{'x' * (number % 7)}")
            turn += 1
        assert turn > 0
        return turn


async def main():
    before = running()
    everyone = asyncio.Barrier(AGENTS)
    turns = await asyncio.gather(*(work(number, everyone) for number in range(AGENTS)))
    assert (left := running()) == before, (before, left)
    print(f"{sys.argv[1]}: {AGENTS} agents, {SECONDS:.0f} s, {min(turns)} to {max(turns)} turns, {dict(counts)}")
    print("passed")


asyncio.run(main())

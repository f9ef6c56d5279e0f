"""Runs Inspect's own check of a sandbox environment, and what it lacks; prints "passed". Configured by SANDBOX_*."""

import asyncio

import sandbox_service_inspect as own
from inspect_ai.util._sandbox import self_check


async def check():
    kind = own.SandboxServiceEnvironment
    environments = await kind.sample_init("check", None, {})
    environment = environments["default"]
    assert len(self_check.__all__) >= 44, self_check.__all__
    failed = {}
    for name in self_check.__all__:
        try:
            await getattr(self_check, name)(environment)
        except Exception as error:
            failed[name] = repr(error)
    assert failed == {}, failed
    done = await environment.exec(["sh", "-c", "cat; echo $A; exit 3"], input=b"in ", env={"A": "b"})
    assert (done.returncode, done.stdout) == (3, "in b\n"), done
    assert (await environment.exec(["no-such-program"])).returncode == 127
    many = await asyncio.gather(*(environment.exec(["sh", "-c", f"echo {n}; sleep 0.1; echo {n}"]) for n in range(32)))
    assert [one.stdout for one in many] == [f"{n}\n{n}\n" for n in range(32)]
    long = asyncio.create_task(environment.exec(["sh", "-c", "echo $$ >pid; exec sleep 600"]))
    while not (await environment.exec(["test", "-s", "pid"])).success:
        pass
    long.cancel()
    await asyncio.gather(long, return_exceptions=True)
    ended = await environment.exec(["sh", "-c", "while kill -0 $(cat pid) 2>/dev/null; do sleep 0.05; done; echo ended"])
    assert ended.stdout == "ended\n", ended
    other = (await kind.sample_init("check", own.SandboxServiceConfig(), {}))["default"]
    await kind.sample_cleanup("check", None, environments, False)
    assert not (await other.exec(["test", "-e", environment.directory])).success
    await kind.sample_cleanup("check", None, {"default": other}, False)


asyncio.run(check())
print("passed")

"""Drives each verb of E2B's synchronous Python SDK and code interpreter; prints "passed". Configured by E2B_*."""

import threading

import httpx
from e2b import FileType, PtySize, SandboxQuery, exceptions
from e2b_code_interpreter import Sandbox
from passed import passed


def fails(kind, call):
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


def commands(sandbox):
    done = sandbox.commands.run("echo out $FOO; echo err >&2; echo ü日")
    assert (done.stdout, done.stderr, done.exit_code) == ("out bar\nü日\n", "err\n", 0), done
    failed = fails(exceptions.SandboxException, lambda: sandbox.commands.run("echo why >&2; exit 7"))
    assert (failed.exit_code, failed.stderr) == (7, "why\n")
    seen = []
    sandbox.commands.run("echo one; echo two >&2", on_stdout=seen.append, on_stderr=seen.append)
    assert sorted(seen) == ["one\n", "two\n"], seen
    assert sandbox.commands.run("pwd", cwd="/tmp").stdout == "/tmp\n"
    assert sandbox.commands.run("echo $A$B", envs={"A": "1", "B": "2"}).stdout == "12\n"
    handle = sandbox.commands.run("cat", background=True, stdin=True)
    assert handle.pid in [process.pid for process in sandbox.commands.list()]
    sandbox.commands.send_stdin(handle.pid, "typed ")
    sandbox.commands.stream_input(handle.pid, ["in ", b"pieces"])
    sandbox.commands.close_stdin(handle.pid)
    assert handle.wait().stdout == "typed in pieces"
    assert sandbox.commands.connect(handle.pid).wait().stdout == "typed in pieces"
    handle = sandbox.commands.run("sleep 600 & setsid sleep 600 & sleep 600", background=True)
    handle.disconnect()
    again = sandbox.commands.connect(handle.pid)
    assert sandbox.commands.kill(handle.pid)
    assert fails(exceptions.SandboxException, again.wait).exit_code == -1
    assert not sandbox.commands.kill(handle.pid)
    assert not sandbox.commands.kill(4_000_000)
    fails(exceptions.TimeoutException, lambda: sandbox.commands.run("sleep 600", timeout=1))
    fails(exceptions.InvalidArgumentException, lambda: sandbox.commands.run("true", cwd="/no/such"))
    fails(exceptions.NotFoundException, lambda: sandbox.commands.connect(4_000_000))
    many = "".join(f"{n}\n" for n in range(200_000))
    assert sandbox.commands.run("seq 0 199999").stdout == many


def files(sandbox):
    home = sandbox.commands.run("pwd").stdout.strip()
    root = "e2b client ü"
    info = sandbox.files.write(f"{root}/a.txt", "text ü")
    assert (info.path, info.name) == (f"{home}/{root}/a.txt", "a.txt"), info
    assert sandbox.files.read(f"{root}/a.txt") == "text ü"
    assert bytes(sandbox.files.read(f"{root}/a.txt", format="bytes")) == "text ü".encode()
    assert b"".join(sandbox.files.read(f"{root}/a.txt", format="stream")) == "text ü".encode()
    sandbox.files.write(f"{root}/z", b"z" * 100_000, gzip=True)
    assert sandbox.files.read(f"{root}/z", gzip=True) == "z" * 100_000
    written = sandbox.files.write_files([{"path": f"{root}/{n}", "data": n} for n in ("one", "two")])
    assert [entry.name for entry in written] == ["one", "two"]
    assert sandbox.files.read(f"{root}/two") == "two"
    assert sandbox.files.make_dir(f"{root}/d/e")
    assert not sandbox.files.make_dir(f"{root}/d/e")
    listed = [(entry.name, entry.type) for entry in sandbox.files.list(root)]
    assert listed == [("a.txt", FileType.FILE), ("d", FileType.DIR), ("one", FileType.FILE), ("two", FileType.FILE), ("z", FileType.FILE)]
    assert [entry.name for entry in sandbox.files.list(f"{root}", depth=2)][1:3] == ["d", "e"]
    sandbox.commands.run("ln -s a.txt link", cwd=root)
    link = sandbox.files.get_info(f"{root}/link")
    assert (link.type, link.symlink_target) == (FileType.FILE, f"{home}/{root}/a.txt")
    info = sandbox.files.get_info(f"{root}/a.txt")
    assert (info.size, info.permissions, info.mode) == (7, "-rw-r--r--", 0o644), info
    meta = {"author": "mish"}
    assert sandbox.files.write(f"{root}/m", "1", metadata=meta).metadata == meta
    assert sandbox.files.get_info(f"{root}/m").metadata == meta
    sandbox.files.write(f"{root}/m", "2")
    assert sandbox.files.get_info(f"{root}/m").metadata is None
    assert sandbox.files.rename(f"{root}/one", f"{root}/new/three").path == f"{home}/{root}/new/three"
    assert sandbox.files.exists(f"{root}/new/three") and not sandbox.files.exists(f"{root}/one")
    for call in (
        lambda: sandbox.files.read(f"{root}/none"),
        lambda: sandbox.files.get_info(f"{root}/none"),
        lambda: sandbox.files.list(f"{root}/none"),
        lambda: sandbox.files.rename(f"{root}/none", f"{root}/x"),
        lambda: sandbox.files.watch_dir(f"{root}/none"),
    ):
        fails(exceptions.FileNotFoundException, call)
    fails(exceptions.SandboxException, lambda: sandbox.files.watch_dir(f"{root}/a.txt"))
    watch = sandbox.files.watch_dir(root, recursive=True, include_entry=True, allow_network_mounts=True)
    sandbox.files.write(f"{root}/d/w", "1", metadata=meta)
    seen = watch.get_new_events()
    assert any(event.entry and event.entry.metadata == meta for event in seen), seen
    events = [(event.type.value, event.name) for event in seen]
    assert ("create", "d/w") in events and ("write", "d/w") in events, events
    sandbox.files.remove(f"{root}/d/w")
    assert ("remove", "d/w") in [(event.type.value, event.name) for event in watch.get_new_events()]
    watch.stop()
    read = sandbox.download_url(f"{root}/a.txt")
    assert httpx.get(read).text == "text ü"
    write = sandbox.upload_url(f"{root}/up", use_signature_expiration=60)
    assert httpx.post(write, files={"file": ("other", b"up")}).status_code == 200
    assert sandbox.files.read(f"{root}/up") == "up"
    sandbox.files.remove(root)
    sandbox.files.remove(root)
    assert not sandbox.files.exists(root)


def terminals(sandbox):
    output = []
    handle = sandbox.pty.create(PtySize(rows=24, cols=80))
    assert handle.pid in [process.pid for process in sandbox.commands.list()]
    sandbox.pty.resize(handle.pid, PtySize(rows=31, cols=101))
    sandbox.pty.send_stdin(handle.pid, b"stty size; echo p$((40+2)); exit 5\n")
    ended = fails(exceptions.SandboxException, lambda: handle.wait(on_pty=output.append))
    text = b"".join(output).decode()
    assert ended.exit_code == 5 and "31 101" in text and "p42" in text, text
    handle = sandbox.pty.create(PtySize(rows=24, cols=80))
    handle.disconnect()
    other = sandbox.pty.connect(handle.pid)
    assert sandbox.pty.kill(other.pid)
    assert not sandbox.pty.kill(4_000_000)


def git(sandbox):
    sandbox.commands.run("rm -rf repo && git init -q repo && echo a > repo/f")
    sandbox.git.configure_user("tester", "t@example.com", scope="local", path="repo")
    sandbox.git.add("repo")
    sandbox.git.commit("repo", "first")
    assert not sandbox.git.status("repo").file_status
    sandbox.commands.run("rm -rf repo")


def code(sandbox):
    run = sandbox.run_code('x = 1\nprint("p")\nx + 1')
    assert (run.text, run.logs.stdout) == ("2", ["p\n"]), run
    assert sandbox.run_code("x + 1").text == "2"
    assert sandbox.run_code("1 / 0").error.name == "ZeroDivisionError"
    assert sandbox.run_code("import os; os.environ['Q']", envs={"Q": "ü\"\\"}).text == 'ü"\\\\'
    assert sandbox.run_code("console.log(1); 2 + 3", language="js").text == "5"
    assert sandbox.run_code("echo shell", language="bash").logs.stdout == ["shell\n"]
    context = sandbox.create_code_context(cwd="/tmp")
    assert sandbox.run_code("import os; y = 5; os.getcwd()", context=context).text == "/tmp"
    assert context.id in [known.id for known in sandbox.list_code_contexts()]
    sandbox.restart_code_context(context)
    assert sandbox.run_code("y", context=context).error.name == "NameError"
    sandbox.remove_code_context(context)


def control(sandbox):
    info = sandbox.get_info()
    assert (info.sandbox_id, info.metadata) == (sandbox.sandbox_id, {"team": "a b"}), info
    found = Sandbox.list(query=SandboxQuery(metadata={"team": "a b"})).next_items()
    assert [one.sandbox_id for one in found] == [sandbox.sandbox_id]
    assert Sandbox.list(query=SandboxQuery(metadata={"team": "x"})).next_items() == []
    assert sandbox.get_metrics()[0].mem_total > 0
    sandbox.set_timeout(3600)
    assert (sandbox.get_info().end_at - info.end_at).total_seconds() > 3000
    assert Sandbox.connect(sandbox.sandbox_id).commands.run("echo same").stdout == "same\n"
    assert "3000" in sandbox.get_host(3000)
    assert sandbox.sandbox_id in str(fails(exceptions.RateLimitException, Sandbox.create))
    fails(exceptions.SandboxException, lambda: sandbox.pause())
    fails(exceptions.NotFoundException, lambda: Sandbox.connect("no-such-sandbox"))


def at_once(sandbox):
    results = {}

    def call(n):
        results[n] = sandbox.commands.run(f"echo {n}; sleep 0.2").stdout

    threads = [threading.Thread(target=call, args=(n,)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {n: f"{n}\n" for n in range(16)}, results


def main():
    sandbox = Sandbox.create(timeout=300, metadata={"team": "a b"}, envs={"FOO": "bar"})
    for part in (commands, files, terminals, git, code, control, at_once):
        part(sandbox)
    assert sandbox.is_running()
    assert sandbox.kill()
    assert not sandbox.kill()
    assert not sandbox.is_running()
    fails(exceptions.SandboxException, lambda: sandbox.commands.run("true"))
    passed()


main()

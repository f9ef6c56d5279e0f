"""Drives the routes of 1.x with the published Python client: drive.py URL KEY sync|async CALLERS yes|no.

The last argument says whether the service has a worker that records its display.
"""

import asyncio
import concurrent.futures
import inspect
import sys
import uuid

from agent_sandbox import AsyncSandbox, Sandbox
from agent_sandbox.browser.types import action as actions
from agent_sandbox.core.api_error import ApiError
from agent_sandbox.types.resolution import Resolution

URL, KEY, MODE, CALLERS, HAS_DISPLAY = *sys.argv[1:4], int(sys.argv[4]), sys.argv[5] == "yes"


async def call(function, *args, **fields):
    """Calls a method of either client; the methods of the synchronous one run in threads."""
    if inspect.iscoroutinefunction(function):
        return await function(*args, **fields)
    return await asyncio.get_running_loop().run_in_executor(None, lambda: function(*args, **fields))


async def gather_bytes(stream):
    if hasattr(stream, "__aiter__"):
        return b"".join([piece async for piece in stream])
    return await asyncio.get_running_loop().run_in_executor(None, lambda: b"".join(stream))


def equal(found, expected):
    assert found == expected, f"expected {expected!r}, found {found!r}"


async def bash(client):
    first = (await call(client.bash.exec, command="echo out; echo err >&2; exit 3")).data
    equal((first.status, first.stdout, first.stderr, first.exit_code), ("completed", "out\n", "err\n", 3))
    made = (await call(client.bash.create_session, exec_dir="/usr")).data
    equal(made.working_dir, "/usr")
    session = made.session_id
    env = (await call(client.bash.exec, command="echo $A$PWD", session_id=session, env={"A": "1"})).data
    equal(env.stdout, "1/usr\n")
    equal((await call(client.bash.exec, command="echo $A$PWD", session_id=session)).data.stdout, "/usr\n")
    begun = (await call(client.bash.exec, command="read -r x; echo got $x", session_id=session, async_mode=True)).data
    equal(begun.status, "running")
    await call(client.bash.write, session_id=session, input="it\n")
    offset, text = 0, ""
    while True:
        read = (await call(client.bash.output, session_id=session, offset=offset, wait=True)).data
        offset, text = read.offset, text + read.stdout
        if read.command.status != "running":
            break
    equal((text, read.command.exit_code), ("got it\n", 0))
    await call(client.bash.exec, command="sleep 600", session_id=session, async_mode=True)
    await call(client.bash.kill, session_id=session, signal="SIGKILL")
    ended = (await call(client.bash.output, session_id=session, wait=True)).data.command
    equal(ended.status, "killed")
    assert session in [known.session_id for known in (await call(client.bash.sessions)).data]
    assert (await call(client.bash.close_session, session)).success


async def shell(client):
    made = (await call(client.shell.create_session, id=f"python-{uuid.uuid4()}", exec_dir="/usr")).data
    session = made.session_id
    first = (await call(client.shell.exec_command, id=session, command="export A=1; cd /tmp; echo hi")).data
    equal((first.status, first.output, first.exit_code), ("completed", "hi\n", 0))
    second = (await call(client.shell.exec_command, id=session, command="echo $A; pwd", exec_dir="/no/such")).data
    equal(second.output, "1\n/tmp\n")
    command = "read -r x; echo got $x"
    equal((await call(client.shell.exec_command, id=session, command=command, async_mode=True)).data.status, "running")
    await call(client.shell.write_to_process, id=session, input="it", press_enter=True)
    equal((await call(client.shell.wait_for_process, id=session, seconds=60)).data.status, "completed")
    view = (await call(client.shell.view, id=session)).data
    assert "got it" in view.output and view.exit_code == 0, view
    equal([record.command for record in view.console][-1], command)
    await call(client.shell.exec_command, id=session, command="sleep 600", async_mode=True)
    killed = (await call(client.shell.kill_process, id=session)).data
    equal((killed.status, killed.returncode), ("terminated", None))
    assert (await call(client.shell.update_session, id=session, no_change_timeout=60)).success
    assert session in (await call(client.shell.list_sessions)).data.sessions
    stats = (await call(client.shell.get_session_stats)).data
    assert stats.active_sessions >= 1, stats
    url = (await call(client.shell.get_terminal_url)).data
    assert url.startswith(URL + "/terminal/?session="), url
    await call(client.shell.cleanup_session, url.split("session=")[1].split("&")[0])
    assert (await call(client.shell.cleanup_session, session)).success


async def files(client, directory):
    path = f"{directory}/notes/one.txt"
    equal((await call(client.file.write_file, file=path, content="one\ntwo\nthree\n")).data.bytes_written, 14)
    part = (await call(client.file.read_file, file=path, start_line=0, end_line=2)).data
    equal(part.content, "one\ntwo")
    equal((await call(client.file.replace_in_file, file=path, old_str="two", new_str="2")).data.replaced_count, 1)
    found = (await call(client.file.search_in_file, file=path, regex="th.*")).data
    equal((found.matches, found.line_numbers), (["three"], [2]))
    equal((await call(client.file.find_files, path=f"{directory}/notes", glob="one.txt")).data.files, [path])
    grep = (await call(client.file.grep_files, path=directory, pattern="three", include=["*.txt"])).data
    equal(grep.match_count, 1)
    listed = (await call(client.file.list_path, path=f"{directory}/notes")).data
    equal([entry.name for entry in listed.files], ["one.txt"])
    for name, content in (("a", "xxx"), ("b", "x")):
        await call(client.file.write_file, file=f"{directory}/globbed/{name}.py", content=content)
    largest = (await call(client.file.glob_files, path=directory, pattern="**/*.py", sort_by="size", max_results=1)).data
    equal(([entry.name for entry in largest.files], largest.total_count), (["b.py"], 2))
    sent = (await call(client.file.upload_file, file=("x", b"\x00\xff"), path=f"{directory}/bytes")).data
    equal(sent.file_size, 2)
    stream = client.file.download_file(path=f"{directory}/bytes")
    equal(await gather_bytes(stream), b"\x00\xff")
    await edit(client, f"{directory}/edited.py")
    await watch(client, directory)


async def edit(client, path):
    async def run(**fields):
        return (await call(client.file.str_replace_editor, path=path, **fields)).data

    equal((await run(command="create", file_text="a = 1\nb = 2\n")).prev_exist, False)
    assert "a = 3" in (await run(command="str_replace", old_str="a = 1", new_str="a = 3")).output
    await run(command="insert", insert_line=0, new_str="# top")
    assert "     2\ta = 3" in (await run(command="view", view_range=[1, -1])).output
    await run(command="undo_edit")
    equal((await run(command="undo_edit")).new_content, "a = 1\nb = 2\n")


async def watch(client, directory):
    made = (await call(client.file.watch_create, path=directory, debounce=50))["data"]
    await call(client.file.write_file, file=f"{directory}/watched", content="x")
    polled = (await call(client.file.watch_poll, made["watcher_id"], since=made["initial_cursor"], timeout=60))["data"]
    equal(polled["events"][0]["relative_path"], "watched")
    assert made["watcher_id"] in [known["watcher_id"] for known in (await call(client.file.watch_list))["data"]["watchers"]]
    waited = (await call(client.file.watch_wait, path=f"{directory}/watched", event_types=["create"]))["data"]
    equal(waited["event"]["relative_path"], "watched")
    await call(client.file.watch_stop, made["watcher_id"])


REPOSITORY = """set -e
mkdir -p {directory}/origin && cd {directory}/origin
git init -q . && git config user.email agent@example.com && git config user.name agent
printf 'greet() {{ echo "hello $1"; }}\\n' > greet.sh
printf '. ./greet.sh\\nfor i in 1 2 3; do sleep 0.1; echo "test $i"; done\\n[ "$(greet you)" = "good day you" ]\\n' > test.sh
git add . && git commit -qm first"""


async def sub_agent(client, directory, number):
    """Clones a repository, edits, searches, builds, and watches its tests; names no session before it has one."""
    work = f"{directory}/agent-{number}"
    cloned = (await call(client.bash.exec, command=f"git clone -q {directory}/origin {work}", session_id="")).data
    equal((cloned.status, cloned.exit_code, cloned.stderr), ("completed", 0, ""))
    found = (await call(client.file.grep_files, path=work, pattern="hello")).data
    equal([match.file for match in found.matches], [f"{work}/greet.sh"])
    edited = (await call(client.file.str_replace_editor, command="str_replace", path=f"{work}/greet.sh",
                         old_str="hello", new_str="good day")).data
    assert "good day" in edited.output, edited
    # More callers than there may be terminals: a call beyond them is 429, which the client repeats if it may.
    built = (await call(client.shell.exec_command, command="sh -n greet.sh && echo built", exec_dir=work,
                        request_options={"max_retries": 30})).data
    equal((built.status, built.output, built.exit_code), ("completed", "built\n", 0))
    tests = (await call(client.bash.exec, command="sh test.sh", exec_dir=work, async_mode=True)).data
    offset, lines = 0, ""
    while True:
        read = (await call(client.bash.output, session_id=tests.session_id, offset=offset, wait=True)).data
        offset, lines = read.offset, lines + read.stdout
        if read.command.status != "running":
            break
    equal((lines, read.command.exit_code), ("test 1\ntest 2\ntest 3\n", 0))


async def context(client):
    answer = await call(client.sandbox.get_context)
    home = (await call(client.bash.exec, command="echo ~")).data.stdout.strip()
    equal(answer.home_dir, home)
    assert home in answer.data, answer.data
    for packages in (client.sandbox.get_python_packages, client.sandbox.get_nodejs_packages):
        assert (await call(packages)).success


async def jupyter(client):
    session = f"cells-{uuid.uuid4()}"
    made = (await call(client.jupyter.create_session, session_id=session, kernel_name="python3.12")).data
    equal(made.session_id, session)
    first = (await call(client.jupyter.execute_code, code="x = 40\nprint('set')", session_id=session)).data
    equal((first.status, first.outputs[0].text), ("ok", "set\n"))
    value = (await call(client.jupyter.execute_code, code="x + 2", session_id=session, timeout=60)).data
    equal((value.outputs[0].output_type, value.outputs[0].data["text/plain"]), ("execute_result", "42"))
    failed = (await call(client.jupyter.execute_code, code="1 / 0", session_id=session)).data
    equal((failed.status, failed.outputs[0].ename), ("error", "ZeroDivisionError"))
    assert session in (await call(client.jupyter.list_sessions)).data.sessions
    assert (await call(client.jupyter.get_info)).data.available_kernels
    assert (await call(client.jupyter.delete_session, session)).success


async def code(client):
    for language, value in (("javascript", "1 + 1"), ("python", "1 + 1")):
        ran = (await call(client.code.execute_code, language=language, code=value)).data
        equal((ran.language, ran.status, ran.code), (language, "ok", value))
    kept = (await call(client.code.execute_code, language="javascript", code="let x = 1", stateful=True)).data
    again = await call(
        client.code.execute_code, language="javascript", code="console.log(x)", stateful=True, session_id=kept.session_id
    )
    equal((again.data.stdout, again.data.exit_code), ("1\n", 0))
    languages = (await call(client.code.get_info)).data.languages
    equal([each.language for each in languages], ["python", "javascript"])


async def nodejs(client):
    files = {"a.json": '{"k": 1}'}
    script = (await call(client.nodejs.execute_code, code="console.log(require('./a.json').k)", files=files)).data
    equal((script.status, script.stdout, script.exit_code), ("ok", "1\n", 0))
    failed = (await call(client.nodejs.execute_code, code="throw new Error('no')")).data
    equal((failed.status, failed.exit_code, failed.outputs[-1].ename), ("error", 1, "Error"))
    made = (await call(client.nodejs.create_session, session_id="sdk", max_idle_time=60)).data
    equal((made.created, made.session.max_idle_time, made.session.state), (True, 60000, "IDLE"))
    await call(client.nodejs.execute_code, code="let x = 1", session_id="sdk")
    equal((await call(client.nodejs.execute_code, code="console.log(x)", session_id="sdk")).data.stdout, "1\n")
    assert "sdk" in (await call(client.nodejs.list_sessions)).data.sessions
    equal((await call(client.nodejs.get_session, "sdk")).data.session.session_id, "sdk")
    equal((await call(client.nodejs.delete_session, "sdk")).data.deleted, True)
    info = (await call(client.nodejs.get_info)).data
    assert info.current_version in info.available_versions, info


async def status_of(function, *args, **fields):
    try:
        await call(function, *args, **fields)
        return 200
    except ApiError as error:
        return error.status_code


async def browser(client):
    info = (await call(client.browser.get_info)).data
    assert "Chrome/" in info.user_agent and info.viewport.width > 0, info
    assert info.cdp_url.startswith("ws") and info.vnc_url.startswith("http"), info
    made = (await call(client.browser_tabs.create, url="data:text/html,<title>1.x</title><textarea autofocus></textarea>")).data
    listed = (await call(client.browser_tabs.list)).data
    equal([tab["active"] for tab in listed if tab["id"] == made["id"]], [True])
    picture = client.browser.screenshot()
    equal((await gather_bytes(picture))[:4], b"\x89PNG")
    performed = [
        actions.Action_MoveTo(x=20, y=20),
        actions.Action_MoveRel(x_offset=5, y_offset=5),
        actions.Action_Click(x=30, y=20),
        actions.Action_DoubleClick(),
        actions.Action_MouseDown(),
        actions.Action_MouseUp(button="left"),
        actions.Action_DragTo(x=40, y=20),
        actions.Action_DragRel(x_offset=1, y_offset=1),
        actions.Action_RightClick(x=400, y=300),
        actions.Action_Scroll(dx=0, dy=1),
        actions.Action_Wait(duration=0.01),
        actions.Action_Click(x=30, y=20),
        actions.Action_Typing(text="typed"),
        actions.Action_KeyDown(key="shift"),
        actions.Action_KeyUp(key="shift"),
        actions.Action_Hotkey(keys=["ctrl", "a"]),
        actions.Action_Press(key="Delete"),
    ]
    for action in performed:
        done = await call(client.browser.execute_action, request=action)
        equal((done.status, done.action_performed), ("success", action.action_type))
    assert (await call(client.browser.set_config, resolution=Resolution(width=1280, height=720))).success
    assert (await call(client.browser.set_config)).success
    await call(client.browser_cookies.clear_cookies)
    cookie = {"name": "a", "value": "1", "domain": ".example.com", "path": "/", "secure": True, "httpOnly": True}
    await call(client.browser_cookies.set_cookies, cookies=[cookie])
    found = (await call(client.browser_cookies.get_cookies, urls="https://www.example.com/")).data
    equal([(each["name"], each["httpOnly"]) for each in found], [("a", True)])
    assert isinstance((await call(client.browser_network.get_requests, filter="x", limit=5)).data, list)
    # Tabs are named by their ids now, and PUT is POST.
    equal(await status_of(client.browser_tabs.close, 0), 404)
    equal(await status_of(client.browser_tabs.activate, 0), 405)
    await call(client.browser_tabs.close, made["id"])


async def display(client):
    """The display is recorded if the service has a worker."""
    idle = await call(client.display.record, action="status")
    equal((idle.success, idle.data.duration >= 0), (True, True))
    path = f"/tmp/recorded-{uuid.uuid4()}.mp4"
    begun = (await call(client.display.record, action="start", save_path=path, fps=5, crf=40, max_duration=60)).data
    equal((begun.status, begun.save_path), ("recording", path))
    while (await call(client.display.record, action="status")).data.duration < 1:
        await asyncio.sleep(0.1)
    ended = (await call(client.display.record, action="stop")).data
    equal((ended.status, ended.save_path, ended.file_size_bytes > 0), ("stopped", path, True))


async def drive(client):
    asyncio.get_running_loop().set_default_executor(concurrent.futures.ThreadPoolExecutor(CALLERS))
    await context(client)
    directory = (await call(client.bash.exec, command="mktemp -d")).data.stdout.strip()
    await bash(client)
    await shell(client)
    await jupyter(client)
    await code(client)
    await nodejs(client)
    await browser(client)
    if HAS_DISPLAY:
        await display(client)
    await files(client, directory)
    made = (await call(client.bash.exec, command=REPOSITORY.format(directory=directory))).data
    equal((made.exit_code, made.stderr), (0, ""))
    await asyncio.gather(*(sub_agent(client, directory, number) for number in range(CALLERS)))
    await call(client.bash.exec, command=f"rm -rf {directory}")
    print("passed")


async def main():
    headers = {"Authorization": f"Bearer {KEY}"} if KEY else {}
    if MODE == "async":
        await drive(AsyncSandbox(base_url=URL, headers=headers, timeout=300))
    else:
        await drive(Sandbox(base_url=URL, headers=headers, timeout=300))


asyncio.run(main())

"""Does recorded tool calls of Anthropic and OpenAI on a desktop, and looks what a page sees; prints "passed"."""

import asyncio
import base64
import json
import os
import re
import struct
import time
from pathlib import Path

import httpx
from sandbox_service_computer_use import AnthropicTools, Desktop
from sandbox_service_computer_use.openai_computer import SandboxComputer

HERE = Path(__file__).parent
KEY = os.environ["SANDBOX_API_KEY"]
HTTP = httpx.Client(base_url=os.environ["SANDBOX_URL"], headers={"authorization": f"Bearer {KEY}"} if KEY else {}, timeout=90)
PAGE = """<meta charset="utf-8"><body style="margin:0;overflow:hidden"><textarea style="position:fixed;width:100%;height:100%"></textarea><script>
seen = []
const held = (e) => ['shift', 'ctrl', 'alt'].filter((name) => e[name + 'Key']).join(' ')
addEventListener('pointermove', (e) => {
  for (const one of e.getCoalescedEvents()) seen.push('mousemove ' + one.screenX + ' ' + one.screenY)
}, true)
for (const type of ['mousedown', 'mouseup', 'click', 'dblclick', 'contextmenu']) addEventListener(type, (e) => {
  seen.push([type, e.screenX, e.screenY, e.button, e.detail, held(e)].join(' ').trim())
  if (type == 'contextmenu' || (type == 'mousedown' && e.button == 1)) e.preventDefault()
}, true)
addEventListener('dragstart', (e) => e.preventDefault(), true)
addEventListener('wheel', (e) => {
  seen.push('wheel ' + (e.deltaY > 0 ? 'down' : e.deltaY < 0 ? 'up' : e.deltaX > 0 ? 'right' : 'left'))
  e.preventDefault()
}, { capture: true, passive: false })
for (const type of ['keydown', 'keyup']) addEventListener(type, (e) => {
  seen.push(type + ' ' + e.key)
  if (e.key == 'Tab') e.preventDefault()
}, true)
</script>"""
PATIENCE = 60
PLACE = "/tmp/computer-use-page.html"


def post(path, **body):
    answer = HTTP.post(path, json=body)
    assert answer.status_code == 200, (path, answer.status_code, answer.text)
    return answer.json()["data"]


def seen():
    value = post("/v2/browser/evaluate", expression="JSON.stringify([seen, document.querySelector('textarea').value])")
    return json.loads(value["result"])


def has_in_order(events, wanted):
    left = iter(events)
    return all(any(event.startswith(one) for event in left) for one in wanted)


def check_page(call, wanted):
    """Waits until the page has seen the events, and the text area has the text."""
    deadline = time.monotonic() + PATIENCE
    while True:
        events, value = seen()
        if has_in_order(events, wanted.get("seen", [])) and wanted.get("value", value) == value:
            return
        assert time.monotonic() < deadline, (call, wanted, events, value)


def check_answer(call, wanted, answer):
    assert answer["is_error"] == ("error" in wanted), (call, answer)
    block = answer["content"][0]
    if block["type"] == "text":
        assert wanted.get("text", "") in block["text"] and re.search(wanted.get("error", ""), block["text"]), (call, block)
        return
    png = base64.b64decode(block["source"]["data"])
    size = struct.unpack(">II", png[16:24])
    assert png[1:4] == b"PNG" and size == tuple(wanted["picture"] if isinstance(wanted.get("picture"), list) else SIZE), size


def calls_of(name):
    return [json.loads(line) for line in (HERE / name).read_text().splitlines()]


async def main():
    global SIZE
    # A page of a file has all events of a pointer, unlike one of a data URL.
    assert HTTP.put("/v2/fs/upload", params={"path": PLACE}, content=PAGE.encode()).status_code == 200
    post("/v2/browser/navigate", url=f"file://{PLACE}")
    async with Desktop() as desktop:
        SIZE = await desktop.size()
        tools = AnthropicTools(desktop)
        assert (await tools.definitions())[0]["display_width_px"] == SIZE[0]
        recorded = calls_of("anthropic.jsonl")
        assert len(recorded) >= 30
        for call in recorded:
            post("/v2/browser/evaluate", expression="seen.length = 0")
            check_answer(call, call["expect"], await tools.call(call["name"], call["input"]))
            check_page(call, call["expect"])
        assert (await tools.call("none", {}))["is_error"] and (await tools.call("computer", {}))["is_error"]
        computer = await SandboxComputer.create(desktop)
        assert (computer.environment, computer.dimensions) == ("ubuntu", SIZE)
        recorded = calls_of("openai.jsonl")
        assert len(recorded) >= 30
        for call in recorded:
            post("/v2/browser/evaluate", expression="seen.length = 0")
            given = dict(call["action"])
            method = getattr(computer, given.pop("type"))
            if "path" in given:
                given["path"] = [(point["x"], point["y"]) for point in given["path"]]
            await method(**given)
            check_page(call, call["expect"])
            png = base64.b64decode(await computer.screenshot())
            assert struct.unpack(">II", png[16:24]) == SIZE
    print("passed")


asyncio.run(main())

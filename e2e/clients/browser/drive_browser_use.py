"""Does the task with browser-use's session, without a model: drive_browser_use.py CDP_URL KEY SITE NOTE.

It acts as the agent of browser-use does: it finds elements in the session's own view of the page, and dispatches events.
"""

import asyncio
import sys
import urllib.request

from browser_use import BrowserProfile, BrowserSession
from browser_use.browser.events import (
    ClickElementEvent,
    NavigateToUrlEvent,
    ScrollEvent,
    SelectDropdownOptionEvent,
    SwitchTabEvent,
    TypeTextEvent,
    UploadFileEvent,
)

CDP_URL, KEY, SITE, NOTE = sys.argv[1:5]
PATIENCE_SECONDS = 60


class Hands:
    def __init__(self, session):
        self._session = session

    async def act(self, event):
        dispatched = self._session.event_bus.dispatch(event)
        await dispatched
        await dispatched.event_result(raise_if_any=True, raise_if_none=False)

    async def open(self, path):
        await self.act(NavigateToUrlEvent(url=SITE + path))

    async def find(self, name):
        deadline = asyncio.get_running_loop().time() + PATIENCE_SECONDS
        while True:
            state = await self._session.get_browser_state_summary(include_screenshot=False)
            for node in state.dom_state.selector_map.values():
                if node.tag_name == "label":
                    continue
                known = node.ax_node.name if node.ax_node else None
                if name in (known, node.get_all_children_text().strip()):
                    return node
            if asyncio.get_running_loop().time() > deadline:
                raise AssertionError(f"no {name!r} on the page")
            await asyncio.sleep(0.1)

    async def press(self, name):
        await self.act(ClickElementEvent(node=await self.find(name)))

    async def fill(self, name, text):
        await self.act(TypeTextEvent(node=await self.find(name), text=text))

    async def text(self):
        page = await self._session.must_get_current_page()
        return await page.evaluate("() => document.body.innerText")

    async def shows(self, text):
        await until(lambda: self.text(), text)


async def log():
    """What the site received; asked inside the sandbox, by the browser itself."""
    page = await SESSION.must_get_current_page()
    return await page.evaluate(f"() => fetch('{SITE}/log').then((answer) => answer.text())")


async def until(read, text):
    deadline = asyncio.get_running_loop().time() + PATIENCE_SECONDS
    while text not in (seen := await read()):
        if asyncio.get_running_loop().time() > deadline:
            raise AssertionError(f"expected {text!r}, found {seen!r}")
        await asyncio.sleep(0.1)


async def task(hands):
    await hands.open("/login")
    await hands.fill("User", "ann")
    await hands.fill("Password", "secret")
    await hands.press("Sign in")
    await hands.shows("Welcome ann")
    await hands.open("/order")
    await hands.fill("What", "kettle")
    await hands.act(SelectDropdownOptionEvent(node=await hands.find("Size"), text="large"))
    await hands.press("Order")
    await hands.shows("ordered large kettle")
    await hands.open("/upload")
    await hands.act(UploadFileEvent(node=await hands.find("File"), file_path=NOTE))
    await hands.press("Send")
    await hands.shows("got note.txt with 5 bytes: five!")
    await hands.open("/download")
    await hands.press("Report")
    for path, name, what in (
        ("/frame", "In the frame", "frame"),
        ("/shadow", "In the shadow", "shadow"),
        ("/dialog", "Ask", "dialog"),
    ):
        await hands.open(path)
        await hands.press(name)
        await until(log, what)
    for path, text in (
        ("/slow", "at last"),
        ("/old", "the new place"),
        ("/missing", "no such page"),
        ("/socket", "hello by WebSocket"),
    ):
        await hands.open(path)
        await hands.shows(text)
    await hands.open("/scroll")
    for _ in range(20):
        await hands.act(ScrollEvent(direction="down", amount=5000))
        if "scrolled" in await log():
            break
    await until(log, "scrolled")


async def own_tab(hands):
    """Opens a tab in front, since a hidden page gets no input. The session by itself takes a tab that it finds empty."""
    address = f"{SITE}/new?own"
    await SESSION.new_page(address)
    deadline = asyncio.get_running_loop().time() + PATIENCE_SECONDS
    while not (own := [tab for tab in await SESSION.get_tabs() if tab.url == address]):
        if asyncio.get_running_loop().time() > deadline:
            raise AssertionError("the tab does not open")
        await asyncio.sleep(0.1)
    await hands.act(SwitchTabEvent(target_id=own[0].target_id))


async def main():
    global SESSION
    SESSION = BrowserSession(browser_profile=BrowserProfile(cdp_url=CDP_URL, headers={"x-api-key": KEY}, is_local=False))
    await SESSION.start()
    try:
        hands = Hands(SESSION)
        await own_tab(hands)
        await task(hands)
    finally:
        await SESSION.stop()
    print("passed")


asyncio.run(main())

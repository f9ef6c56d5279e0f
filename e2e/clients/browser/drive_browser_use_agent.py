"""Runs browser-use's own loop with a model that answers from a list: drive_browser_use_agent.py CDP_URL KEY SITE."""

import asyncio
import json
import sys

from browser_use import Agent, BrowserProfile, BrowserSession
from browser_use.llm.views import ChatInvokeCompletion

CDP_URL, KEY, SITE = sys.argv[1:4]


class ListedModel:
    """A model of browser-use: each call gets the next step, with the number of the element that the page gives it."""

    model = model_name = name = "listed"
    provider = "none"
    _verified_api_keys = True

    def __init__(self, steps):
        self.steps = iter(steps)
        self.seen = []

    async def ainvoke(self, messages, output_format=None, **_options):
        self.seen.append(" ".join(message.text for message in messages))
        action = next(self.steps)(session)
        answer = {"evaluation_previous_goal": "", "memory": "", "next_goal": "", "action": [action]}
        completion = output_format.model_validate_json(json.dumps(answer)) if output_format else json.dumps(answer)
        return ChatInvokeCompletion(completion=completion, usage=None)


def element(name):
    """The number by which a model names an element of the page."""
    for number, node in session._cached_browser_state_summary.dom_state.selector_map.items():
        known = node.ax_node.name if node.ax_node else None
        if node.tag_name != "label" and name in (known, node.get_all_children_text().strip()):
            return number
    raise AssertionError(f"no {name!r} on the page")


STEPS = [
    lambda _: {"navigate": {"url": f"{SITE}/order", "new_tab": True}},
    lambda _: {"input": {"index": element("What"), "text": "kettle", "clear": True}},
    lambda _: {"click": {"index": element("Order")}},
    lambda _: {"navigate": {"url": f"{SITE}/new", "new_tab": False}},
    lambda _: {"go_back": {}},
    lambda _: {"done": {"text": "the order is made", "success": True}},
]


async def main():
    global session
    profile = BrowserProfile(cdp_url=CDP_URL, headers={"x-api-key": KEY}, is_local=False)
    session = BrowserSession(browser_profile=profile)
    model = ListedModel(STEPS)
    agent = Agent(task="order a kettle", llm=model, browser_session=session, use_vision=False, use_judge=False)
    history = await agent.run(max_steps=len(STEPS))
    faults = [error for error in history.errors() if error]
    assert not faults, faults
    assert history.is_done() and history.final_result() == "the order is made", history
    assert any("ordered small kettle" in seen for seen in model.seen), model.seen[-1]
    print("passed")


asyncio.run(main())

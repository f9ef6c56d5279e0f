"""A model of Anthropic uses the desktop of the service of SANDBOX_URL. Needs the package `anthropic`."""

import asyncio
import sys

import anthropic
from sandbox_service_computer_use import AnthropicTools, Desktop


async def main(model: str, task: str) -> None:
    client = anthropic.AsyncAnthropic()
    async with Desktop() as desktop:
        tools = AnthropicTools(desktop)
        definitions = await tools.definitions()
        messages: list = [{"role": "user", "content": task}]
        while True:
            answer = await client.beta.messages.create(
                model=model, max_tokens=4096, tools=definitions, messages=messages, betas=["computer-use-2025-11-24"]
            )
            messages.append({"role": "assistant", "content": answer.content})
            calls = [block for block in answer.content if block.type == "tool_use"]
            if not calls:
                print("".join(block.text for block in answer.content if block.type == "text"))
                return
            results = [
                {"type": "tool_result", "tool_use_id": block.id, **await tools.call(block.name, block.input)}
                for block in calls
            ]
            messages.append({"role": "user", "content": results})


asyncio.run(main(sys.argv[1], sys.argv[2]))

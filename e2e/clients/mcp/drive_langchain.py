"""Lists and calls tools by LangChain's adapter. Reads {url, key, calls} as JSON, prints what it saw."""

import asyncio
import json
import sys

from langchain_core.tools import ToolException
from langchain_mcp_adapters.client import MultiServerMCPClient

GIVEN = json.load(sys.stdin)


def parts(content):
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


async def call(tool, args):
    try:
        content = parts(await tool.ainvoke(args))
    except ToolException as error:
        return {"text": str(error), "isError": True, "images": 0}
    text = "\n".join(part.get("text", "") for part in content if part["type"] == "text")
    return {"text": text, "isError": False, "images": sum(part["type"] == "image" for part in content)}


async def main():
    headers = {"Authorization": f"Bearer {GIVEN['key']}"} if GIVEN["key"] else {}
    connection = {"transport": "streamable_http", "url": GIVEN["url"], "headers": headers}
    client = MultiServerMCPClient({"sandbox": connection}, handle_tool_errors=False)
    tools = {tool.name: tool for tool in await client.get_tools()}
    results = [await call(tools[each["tool"]], each["args"]) for each in GIVEN["calls"]]
    print(json.dumps({"names": list(tools), "results": results}))


asyncio.run(main())

"""Lists and calls tools with the official Python SDK. Reads {url, key, mode, calls} as JSON, prints what it saw."""

import asyncio
import json
import sys

from mcp import Client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

GIVEN = json.load(sys.stdin)
SECONDS = 120


def seen(result):
    return {
        "text": "\n".join(part.text for part in result.content if part.type == "text"),
        "isError": bool(result.is_error),
        "images": sum(part.type == "image" for part in result.content),
    }


async def main():
    headers = {"Authorization": f"Bearer {GIVEN['key']}"} if GIVEN["key"] else {}
    async with create_mcp_http_client(headers=headers) as http:
        transport = streamable_http_client(GIVEN["url"], http_client=http)
        async with Client(transport, mode=GIVEN["mode"], read_timeout_seconds=SECONDS) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            results = [seen(await client.call_tool(call["tool"], call["args"])) for call in GIVEN["calls"]]
    print(json.dumps({"names": names, "results": results}))


asyncio.run(main())

"""E2B's Python SDKs with E2B_DOMAIN and E2B_API_KEY alone, through TLS; prints "passed"."""

import asyncio
import os

import httpx
from e2b_code_interpreter import AsyncSandbox, Sandbox
from passed import passed

PORT = int(os.environ["PREVIEW_PORT"])
SERVE = f"""
import http.server, threading
server = http.server.HTTPServer(("127.0.0.1", {PORT}), http.server.SimpleHTTPRequestHandler)
threading.Thread(target=server.serve_forever, daemon=True).start()
server.server_port
"""


def preview(sandbox):
    url = f"https://{sandbox.get_host(PORT)}/"
    token = {"E2B-Traffic-Access-Token": sandbox.traffic_access_token}
    assert "Directory listing" in httpx.get(url, headers=token).text
    assert httpx.get(url).status_code == int(os.environ["PREVIEW_STATUS"])


def synchronous():
    sandbox = Sandbox.create(timeout=300)
    assert sandbox.commands.run("echo ü; exit 0").stdout == "ü\n"
    sandbox.files.write("tls/a", "text ü", metadata={"author": "mish"})
    assert sandbox.files.read("tls/a") == "text ü"
    assert httpx.get(sandbox.download_url("tls/a")).text == "text ü"
    assert sandbox.run_code("x = 20; x + 22").text == "42"
    assert sandbox.run_code(SERVE).text == str(PORT)
    preview(sandbox)
    assert sandbox.get_info().sandbox_id == sandbox.sandbox_id
    assert sandbox.kill()


async def asynchronous():
    sandbox = await AsyncSandbox.create(timeout=300)
    runs = await asyncio.gather(*(sandbox.commands.run(f"echo {n}") for n in range(16)))
    assert [run.stdout for run in runs] == [f"{n}\n" for n in range(16)]
    await sandbox.files.write("tls/b", b"b" * 3_000_000)
    assert await sandbox.files.read("tls/b") == "b" * 3_000_000
    assert (await sandbox.run_code("x = 20; x + 22")).text == "42"
    assert (await sandbox.run_code(SERVE)).text == str(PORT)
    preview(sandbox)
    await sandbox.files.remove("tls")
    assert await sandbox.kill()


synchronous()
asyncio.run(asynchronous())
passed()

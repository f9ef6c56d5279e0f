"""Uses the project's published Python client unchanged: drive_client.py MODE POOL NAMESPACE [ROUTER]."""

import sys
import time

from k8s_agent_sandbox import SandboxClient
from k8s_agent_sandbox.models import (
    SandboxDirectConnectionConfig,
    SandboxInClusterConnectionConfig,
    SandboxLocalTunnelConnectionConfig,
    SandboxdPodTunnelConnectionConfig,
)

MODE, POOL, NAMESPACE = sys.argv[1:4]
CONNECTIONS = {
    "router": lambda: SandboxDirectConnectionConfig(api_url=sys.argv[4], server_port=8888),
    "tunnel": lambda: SandboxLocalTunnelConnectionConfig(server_port=8888),
    "in-cluster": lambda: SandboxInClusterConnectionConfig(server_port=8888),
    "sandboxd": lambda: SandboxdPodTunnelConnectionConfig(rest_port=8080, grpc_port=9090),
}
SECONDS = 120

client = SandboxClient(connection_config=CONNECTIONS[MODE](), cleanup=True)
sandbox = client.create_sandbox(POOL, namespace=NAMESPACE)
assert client.get_sandbox(sandbox.claim_name, namespace=NAMESPACE) is sandbox

ran = sandbox.commands.run("echo hello")
assert (ran.exit_code, ran.stdout) == (0, "hello\n"), ran
failed = sandbox.commands.run("sh -c 'echo wrong >&2; exit 7'")
assert (failed.exit_code, failed.stderr) == (7, "wrong\n"), failed

sandbox.files.write("note.txt", "a note")
sandbox.files.write("bytes.bin", bytes(range(256)))
assert sandbox.files.read("note.txt") == b"a note"
assert sandbox.files.read("bytes.bin") == bytes(range(256))
assert sandbox.files.exists("note.txt") and not sandbox.files.exists("none.txt")
entries = {entry.name: entry for entry in sandbox.files.list(".")}
assert entries["note.txt"].size == 6 and entries["note.txt"].type == "file", entries
large = b"0123456789" * 1_000_000
sandbox.files.write("large.bin", large)
assert sandbox.files.read("large.bin") == large
try:
    sandbox.files.read("none.txt")
except Exception as error:
    cause = error.__cause__
    assert "not found" in str(error).lower() or getattr(cause, "response", None).status_code == 404, error
else:
    raise AssertionError("a missing file was read")
assert sandbox.status()[0] == "SandboxReady", sandbox.status()

sandbox.close_connection()
again = client.get_sandbox(sandbox.claim_name, namespace=NAMESPACE)
assert again.files.read("note.txt") == b"a note"
name = again.claim_name
again.terminate()
end = time.monotonic() + SECONDS
while True:
    try:
        client.get_sandbox(name, namespace=NAMESPACE)
    except RuntimeError as error:
        assert "not found" in str(error).lower(), error
        break
    assert time.monotonic() < end, "the sandbox is still there"
    time.sleep(0.5)
print("passed")

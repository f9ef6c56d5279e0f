"""The standard tests of LangChain for a backend of deepagents. Configured by SANDBOX_*."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from langchain_tests.integration_tests import SandboxIntegrationTests
from sandbox_service_deepagents import SandboxServiceBackend, SandboxServiceProvider


def opened(**terms):
    backend = SandboxServiceBackend(cwd="/tmp", **terms)
    backend.execute("rm -rf /tmp/test_sandbox_ops")
    yield backend
    backend.execute("rm -rf /tmp/test_sandbox_ops")
    backend.close()


@pytest.fixture(scope="class")
def backend():
    yield from opened()


class TestStandard(SandboxIntegrationTests):
    # The standard tests expect that `write` refuses an existing file, the tools of deepagents 0.7 that it replaces it.
    @pytest.fixture(scope="class")
    def sandbox(self):
        yield from opened(overwrite=False)


class TestOwn:
    def test_both_streams_and_codes(self, backend):
        done = backend.execute("echo out; echo err >&2; exit 3")
        assert (sorted(done.output.split()), done.exit_code, done.truncated) == (["err", "out"], 3, False)

    def test_timeout_ends_everything(self, backend):
        late = backend.execute("echo begun; sleep 600 & echo $! >/tmp/deepagents-pid; wait", timeout=1)
        assert late.exit_code == 124 and "begun" in late.output
        gone = backend.execute("kill -0 $(cat /tmp/deepagents-pid); rm /tmp/deepagents-pid")
        assert "No such process" in gone.output

    def test_many_at_once(self, backend):
        with ThreadPoolExecutor(32) as pool:
            many = pool.map(lambda n: backend.execute(f"echo {n}; sleep 0.1; echo {n}").output, range(32))
            assert list(many) == [f"{n}\n{n}\n" for n in range(32)]

    def test_write_replaces(self, backend):
        path = "/tmp/test_sandbox_ops/own"
        assert [backend.write(path, text).error for text in ("first", "second")] == [None, None]
        assert backend.execute(f"cat {path}").output == "second"

    def test_large_file(self, backend):
        content = bytes(range(256)) * 80_000
        assert backend.upload_files([("/tmp/test_sandbox_ops/large", content)])[0].error is None
        assert backend.download_files(["/tmp/test_sandbox_ops/large"])[0].content == content

    def test_words_of_the_shell(self, backend):
        # /dev/full: every write fails as on a full disk.
        assert "No space left" in backend.upload_files([("/dev/full", b"x")])[0].error
        assert backend.upload_files([("relative", b"x")])[0].error == "invalid_path"

    def test_provider(self, backend):
        again = SandboxServiceProvider().get_or_create(sandbox_id=backend.id)
        assert again.execute("echo same").output == "same\n"
        again.close()

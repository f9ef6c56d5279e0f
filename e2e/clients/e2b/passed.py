"""The end of a driver of E2B's SDKs."""

import os


def passed():
    """Prints "passed" and ends the process at once.

    The SDKs' HTTP client, a native extension with threads, now and then aborts the interpreter while it ends.
    """
    print("passed", flush=True)
    os._exit(0)

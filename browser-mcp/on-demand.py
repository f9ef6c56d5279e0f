"""Holds the port of the MCP server while the browser runs, and becomes the server at the first connection.

The server takes more than a hundred megabytes, and most sandboxes never use it. Arguments: the server's command, which
finds the listening socket by its number in BROWSER_MCP_LISTEN_FD.
"""

import os
import select
import socket
import sys
import time

HOST = "127.0.0.1"
PORT = int(os.environ.get("MCP_SERVER_BROWSER_PORT") or 8100)
BROWSER = (
    os.environ.get("BROWSER_REMOTE_DEBUGGING_HOST") or HOST,
    int(os.environ.get("BROWSER_REMOTE_DEBUGGING_PORT") or 9222),
)
LOOK_SECONDS = 1
CONNECT_SECONDS = 5


def say(message):
    sys.stdout.write(f"sandbox: browser-mcp: {message}\n")
    sys.stdout.flush()


def connect():
    """A connection to DevTools, whose end is that of the browser; None if the browser does not run."""
    try:
        browser = socket.create_connection(BROWSER, CONNECT_SECONDS)
    except OSError:
        return None
    browser.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    return browser


def listen():
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, PORT))
        listener.listen(128)
        return listener
    except OSError as error:
        listener.close()
        say(f"port {PORT} cannot be used: {error.strerror}")
        return None


def serve(listener):
    os.environ["BROWSER_MCP_LISTEN_FD"] = str(listener.fileno())
    os.set_inheritable(listener.fileno(), True)
    os.execvp(sys.argv[1], sys.argv[1:])


def serve_while_it_runs(browser):
    listener = listen()
    if listener is None:
        return
    with listener:
        poll = select.poll()
        poll.register(browser, select.POLLIN)
        poll.register(listener, select.POLLIN)
        ready = [descriptor for descriptor, _ in poll.poll()]
        if listener.fileno() in ready:
            serve(listener)


while True:
    browser = connect()
    if browser is not None:
        with browser:
            serve_while_it_runs(browser)
    time.sleep(LOOK_SECONDS)

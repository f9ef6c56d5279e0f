"""Cells of a kernel through a Jupyter server, over its WebSocket: prints the median of one cell in ms."""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
import uuid
from urllib.error import URLError
from urllib.request import Request, urlopen

from tornado.websocket import websocket_connect

port, directory, count = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
base = f'http://127.0.0.1:{port}'
options = ['--no-browser', '--allow-root', '--ServerApp.token=t', f'--ServerApp.port={port}']
options += ['--ServerApp.ip=127.0.0.1', f'--ServerApp.root_dir={directory}', '--log-level=ERROR']
environment = {**os.environ, 'JUPYTER_RUNTIME_DIR': directory, 'JUPYTER_CONFIG_DIR': directory}
server = subprocess.Popen([sys.executable, '-m', 'jupyter_server', *options], env=environment)


def kernel():
    request = Request(f'{base}/api/kernels', b'{"name": "python3"}', {'authorization': 'token t'})
    for _ in range(600):
        try:
            return json.load(urlopen(request))['id']
        except URLError:
            time.sleep(0.1)
    raise SystemExit('the server does not serve')


async def measure():
    socket = await websocket_connect(f'ws://127.0.0.1:{port}/api/kernels/{kernel()}/channels?token=t')
    session = uuid.uuid4().hex

    async def cell():
        id = uuid.uuid4().hex
        header = {'msg_id': id, 'msg_type': 'execute_request', 'session': session, 'username': '', 'version': '5.3'}
        content = {'code': '1+1', 'silent': False, 'store_history': True, 'user_expressions': {}, 'allow_stdin': False}
        message = {'channel': 'shell', 'header': header, 'parent_header': {}, 'metadata': {}, 'content': content}
        await socket.write_message(json.dumps(message))
        missing = {'reply', 'idle'}
        while missing:
            answer = json.loads(await socket.read_message())
            if answer['parent_header'].get('msg_id') != id:
                continue
            if answer['msg_type'] == 'execute_reply':
                missing.discard('reply')
            if answer['msg_type'] == 'status' and answer['content']['execution_state'] == 'idle':
                missing.discard('idle')

    await cell()
    times = []
    for _ in range(count):
        begun = time.perf_counter()
        await cell()
        times.append((time.perf_counter() - begun) * 1000)
    print(statistics.median(times))


try:
    asyncio.run(measure())
finally:
    server.terminate()
    server.wait()

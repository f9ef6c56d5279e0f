"""
Cells of a kernel through jupyter_client: prints the median of one cell (`warm`), or the time of a first one (`first`),
in ms. `plain`: as `warm`, by the sockets of that client alone, which signs requests and reads where an answer belongs.
"""

import json
import statistics
import sys
import time

import zmq
from jupyter_client.manager import KernelManager

begun = time.perf_counter()
kernel = KernelManager(kernel_name='python3', transport='ipc', ip=sys.argv[2])
kernel.start_kernel()
client = kernel.blocking_client()
client.start_channels()
client.wait_for_ready()


def cell():
    client.execute_interactive('1+1', store_history=True, output_hook=lambda message: None)


def plain_cell():
    shell, iopub = client.shell_channel.socket, client.iopub_channel.socket
    request = client.session.send(shell, 'execute_request', REQUEST)
    missing = {shell: 'execute_reply', iopub: 'status'}
    poller = zmq.Poller()
    for socket in missing:
        poller.register(socket, zmq.POLLIN)
    while missing:
        for socket, _ in poller.poll(60_000):
            frames = socket.recv_multipart()
            header, parent, _, content = frames[frames.index(b'<IDS|MSG>') + 2 :][:4]
            is_last = socket is shell or b'"idle"' in content
            if json.loads(parent).get('msg_id') == request['header']['msg_id'] and is_last:
                if json.loads(header)['msg_type'] == missing[socket]:
                    del missing[socket]
                    poller.unregister(socket)


REQUEST = {'code': '1+1', 'silent': False, 'store_history': True, 'user_expressions': {}, 'allow_stdin': False}
run = plain_cell if sys.argv[1] == 'plain' else cell
cell()
if sys.argv[1] == 'first':
    print((time.perf_counter() - begun) * 1000)
else:
    times = []
    for _ in range(int(sys.argv[3])):
        started = time.perf_counter()
        run()
        times.append((time.perf_counter() - started) * 1000)
    print(statistics.median(times))
client.stop_channels()
kernel.shutdown_kernel(now=True)

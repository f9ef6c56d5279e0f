"""Cells of a kernel through jupyter_client: prints the median of one cell, or the time of a first one, in ms."""

import statistics
import sys
import time

from jupyter_client.manager import KernelManager

begun = time.perf_counter()
kernel = KernelManager(kernel_name='python3', transport='ipc', ip=sys.argv[2])
kernel.start_kernel()
client = kernel.blocking_client()
client.start_channels()
client.wait_for_ready()


def cell():
    client.execute_interactive('1+1', store_history=True, output_hook=lambda message: None)


cell()
if sys.argv[1] == 'first':
    print((time.perf_counter() - begun) * 1000)
else:
    times = []
    for _ in range(int(sys.argv[3])):
        started = time.perf_counter()
        cell()
        times.append((time.perf_counter() - started) * 1000)
    print(statistics.median(times))
client.stop_channels()
kernel.shutdown_kernel(now=True)

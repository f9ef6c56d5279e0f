/**
 * A Python that has imported what a kernel needs, and forks one for each line of its stdin:
 * `{"id", "cwd", "env", "argv"}`. It has one thread, hands each child over to the keeper (docs/keeper.md, Adoption) and
 * writes one line when it is ready. Its arguments are the modules to import ahead; one that is missing is left out.
 */
export const ZYGOTE_PROGRAM = `
import array, gc, json, os, signal, socket, struct, sys

sys.path[:] = [entry for entry in sys.path if entry]
from ipykernel import kernelapp, ipkernel, zmqshell
import IPython.core.completer, IPython.core.magics, IPython.core.historyapp, IPython.core.ultratb, IPython.lib.pretty
for name in ["ipykernel.debugger", "ipykernel.datapub", "matplotlib_inline.backend_inline", *sys.argv[1:]]:
    try:
        __import__(name)
    except BaseException:
        pass
del sys.argv[1:]
keeper = socket.socket(fileno=4)
keeper.settimeout(10)
gc.collect()
gc.freeze()
os.write(1, b"ready\\n")


def packed(text):
    data = text.encode()
    return struct.pack("<I", len(data)) + data


def adopt(id, pid, out, err):
    body = bytes([48]) + packed(id) + struct.pack("<I", pid)
    fds = array.array("i", [out, err])
    keeper.sendmsg([struct.pack("<I", len(body)) + body], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, fds)])
    answer = keeper.recv(65536)
    return struct.unpack("<I", answer[-4:])[0]


def become(request, go, out, err):
    if os.read(go, 1) != b"g":
        os._exit(1)
    keeper.close()
    os.setsid()
    null = os.open("/dev/null", os.O_RDONLY)
    for source, target in ((null, 0), (out, 1), (err, 2)):
        os.dup2(source, target)
    os.closerange(3, 64)
    os.environ.clear()
    os.environ.update(request["env"])
    os.chdir(request["cwd"])
    sys.argv = request["argv"]
    gc.unfreeze()
    app = kernelapp.IPKernelApp.instance()
    app.initialize(sys.argv[1:])
    app.start()


def fork(request):
    go, release = os.pipe()
    out, out_end = os.pipe()
    err, err_end = os.pipe()
    told, tell = os.pipe()
    middle = os.fork()
    if middle == 0:
        child = os.fork()
        if child == 0:
            for fd in (release, out, err, told, tell):
                os.close(fd)
            try:
                become(request, go, out_end, err_end)
            except SystemExit as end:
                os._exit(end.code if isinstance(end.code, int) else 0)
            except BaseException:
                import traceback
                traceback.print_exc()
                sys.stderr.flush()
                os._exit(1)
            os._exit(0)
        os.write(tell, struct.pack("<I", child))
        os._exit(0)
    os.close(tell)
    pid = struct.unpack("<I", os.read(told, 4))[0]
    os.waitpid(middle, 0)
    try:
        if adopt(request["id"], pid, out, err) == 0:
            os.write(release, b"g")
    finally:
        for fd in (go, release, out, out_end, err, err_end, told):
            os.close(fd)


for line in sys.stdin.buffer:
    fork(json.loads(line))
os._exit(0)
`;

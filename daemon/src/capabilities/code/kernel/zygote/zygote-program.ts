import { BECOME_KERNEL } from '../program/kernel-program.ts';

/**
 * A Python that has imported what a kernel needs, and forks one for each line of its stdin:
 * `{"id", "cwd", "env", "argv"}`. It has one thread and writes the line `ready` when it is. Its arguments are the word
 * `keeper` or `own`, and the modules to import ahead; one that is missing is left out. With `keeper` it hands each child
 * over (docs/keeper.md, Adoption). With `own` it waits for its children itself, writes `{"id", "pid"}` when one is there
 * and `{"id", "status"}` (wait(2)) when it has ended, and ends itself after its stdin and its children.
 */
export const ZYGOTE_PROGRAM = `
import array, gc, json, os, select, signal, socket, struct, sys

sys.path[:] = [entry for entry in sys.path if entry]
${BECOME_KERNEL}
refresh = import_paths()
prepare_figures()
from ipykernel import kernelapp, ipkernel, zmqshell
import IPython.core.completer, IPython.core.magics, IPython.core.historyapp, IPython.core.ultratb, IPython.lib.pretty
for name in ["ipykernel.debugger", "ipykernel.datapub", "matplotlib_inline.backend_inline", *sys.argv[2:]]:
    try:
        __import__(name)
    except BaseException:
        pass
forget_backend()
adopts = sys.argv[1] == "keeper"
del sys.argv[1:]
if adopts:
    keeper = socket.socket(fileno=4)
    keeper.settimeout(10)


def rehearse():
    # What a kernel imports and compiles when it begins and with its first cell, so that it is done once, here.
    import re, shutil, tempfile
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        place = tempfile.mkdtemp()
        try:
            null, known = os.open("/dev/null", os.O_RDWR), set(sys.modules)
            for fd in (0, 1, 2):
                os.dup2(null, fd)
            app = kernelapp.IPKernelApp.instance()
            connection = ["-f", place + "/c", "--transport=ipc", "--ip=" + place + "/k"]
            app.initialize([*connection, "--HistoryManager.hist_file=:memory:"])
            app.shell.run_cell("1", silent=True)
            # The cache of re has no public name.
            patterns = [[key[1], key[2]] for key in getattr(re, "_cache", ()) if key[0] is str]
            os.write(write, json.dumps([list(set(sys.modules) - known), patterns]).encode())
        finally:
            shutil.rmtree(place, ignore_errors=True)
            os._exit(0)
    os.close(write)
    told = b""
    while select.select([read], [], [], 20)[0]:
        piece = os.read(read, 65536)
        if piece == b"":
            break
        told += piece
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(read)
    try:
        names, patterns = json.loads(told)
    except ValueError:
        return
    for name in names:
        try:
            __import__(name)
        except BaseException:
            pass
    for pattern, flags in patterns:
        try:
            re.compile(pattern, flags)
        except Exception:
            pass


rehearse()
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


def become(request, out, err):
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
    become_kernel(sys.argv[2], refresh)


def live(request, out, err):
    try:
        become(request, out, err)
    except SystemExit as end:
        end_in_order(end.code if isinstance(end.code, int) else 0)
    except BaseException:
        import traceback
        traceback.print_exc()
        sys.stderr.flush()
        end_in_order(1)
    end_in_order()


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
            if os.read(go, 1) != b"g":
                os._exit(1)
            keeper.close()
            live(request, out_end, err_end)
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


children = {}


def tell(report):
    os.write(1, json.dumps(report).encode() + b"\\n")


def fork_own(request):
    child = os.fork()
    if child == 0:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        null = os.open("/dev/null", os.O_RDWR)
        live(request, null, null)
    children[child] = request["id"]
    tell({"id": request["id"], "pid": child})


def reap():
    while children:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        tell({"id": children.pop(pid), "status": status})


def serve_own():
    woken, wake = os.pipe()
    os.set_blocking(woken, False)
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake)
    begun, is_open = b"", True
    while is_open or children:
        ready, _, _ = select.select([0, woken] if is_open else [woken], [], [])
        if woken in ready:
            os.read(woken, 4096)
            reap()
        if 0 in ready:
            data = os.read(0, 65536)
            is_open = data != b""
            *lines, begun = (begun + data).split(b"\\n")
            for line in lines:
                fork_own(json.loads(line))


if adopts:
    for line in sys.stdin.buffer:
        fork(json.loads(line))
else:
    serve_own()
os._exit(0)
`;

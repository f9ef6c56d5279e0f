import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Gives its memory the look that it has in the middle of execve: neither arguments nor environment (prctl(2)). Its child
 * has the same look and is young even if the interpreter took long to start.
 */
const PROGRAM = `
import ctypes, os, struct, time
libc = ctypes.CDLL(None, use_errno=True)
libc.sbrk.restype = ctypes.c_void_p
libc.prctl.argtypes = [ctypes.c_int, ctypes.c_ulong, ctypes.c_char_p, ctypes.c_ulong, ctypes.c_ulong]
stat = open("/proc/self/stat").read().rsplit(")", 1)[1].split()
code, code_end, stack = map(int, stat[23:26])
data, data_end, heap, arguments, _, environment, _ = map(int, stat[42:49])
places = (code, code_end, data, data_end, heap, libc.sbrk(0), stack, arguments, arguments, environment, environment, 0)
new = struct.pack("=12QIi", *places, 0, -1)
PR_SET_MM, PR_SET_MM_MAP = 35, 14
if libc.prctl(PR_SET_MM, PR_SET_MM_MAP, new, len(new), 0) != 0: raise OSError(ctypes.get_errno())
if os.fork() == 0:
    print("ready", flush=True)
    time.sleep(1000)
os.wait()
`;

/** A process that looks as if it were in the middle of execve, until it is disposed. Needs python3. */
export class InExecve implements AsyncDisposable {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(): Promise<InExecve> {
    const child = spawn('python3', ['-c', PROGRAM], { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
    await once(child.stdout, 'data');
    return new InExecve(child);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit');
    process.kill(-(this.#child.pid ?? 0), 'SIGKILL');
    await ended;
  }
}

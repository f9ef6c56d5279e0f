import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { GtkDesktop } from '../../../computer-use/src/accessibility/gtk-desktop.fixture.ts';
import { ffmpegArguments } from '../../../computer-use/src/recording/ffmpeg.ts';
import { XServer } from '../../../computer-use/src/x-server.fixture.ts';
import { ROOT } from '../../../scripts/root.ts';
import { debianPackage, debianProgram, type Need } from '../../../scripts/test-all/need.ts';
import type { Benchmark, Measurement } from '../harness/benchmark.ts';
import { bounded, lower } from '../harness/rows.ts';
import { processorSeconds } from '../testbed/processor-time.ts';
import { startWorker } from '../testbed/services.ts';

const NODES = 300;
const [WIDTH, HEIGHT, FPS, CRF] = [1280, 1024, 15, 23];
const RECORDED_MS = 5000;
/** A terminal with text that moves: ten lines a second. */
const WRITES = 'ls -lR /usr/share/doc | head -100; while sleep 0.1; do date; done';

const LIBATSPI: Need = {
  name: 'libatspi',
  probe: ['/usr/bin/python3', '-c', "import gi; gi.require_version('Atspi', '2.0'); gi.require_version('Gtk', '3.0')"],
  obtain: debianPackage('gir1.2-atspi-2.0', 'gir1.2-gtk-3.0', 'python3-gi', 'at-spi2-core'),
  reason: 'the accessibility tree is held against it',
};

export const desktopWork: Benchmark = {
  name: 'desktop-work',
  about:
    `the accessibility tree of a GTK window with ${NODES} labels over HTTP, beside libatspi in Python, which reads ` +
    'roles, names, states, places and children without actions and values. Recording: processor time of the worker ' +
    `and its ffmpeg for each second of ${RECORDED_MS / 1000}, ${WIDTH}×${HEIGHT} at ${FPS} pictures a second, while ` +
    'a terminal writes ten lines a second; beside it the same ffmpeg alone.',
  needs: [
    LIBATSPI,
    debianProgram('Xtigervnc', 'the display', 'tigervnc-standalone-server'),
    debianProgram('xterm', 'it fills the display'),
    debianProgram('ffmpeg', 'it records'),
    debianProgram('dbus-daemon', 'the accessibility tree is read through it', 'dbus'),
  ],
  async prepare(stack) {
    return [await treeOf(stack), await recordingOf(stack)];
  },
};

async function treeOf(stack: AsyncDisposableStack): Promise<Measurement> {
  const desktop = stack.use(await GtkDesktop.start());
  const bus = { DBUS_SESSION_BUS_ADDRESS: desktop.sessionBus };
  const worker = stack.use(await startWorker(desktop.display, bus));
  await (await desktop.window()).tell(`labels ${NODES}`);
  const url = `http://127.0.0.1:${worker.port}/v2/computer/accessibility?scope=desktop&include_offscreen=true`;
  return {
    rows: [bounded('tree of 300 nodes', 'ms', 150, 'under')],
    peer: 'libatspi in Python',
    measureOurs: async () => {
      const begun = performance.now();
      const answer = (await (await fetch(url)).json()) as { data: { node_count: number } };
      const ms = performance.now() - begun;
      if (!(answer.data.node_count >= NODES)) throw new Error(`the tree has ${answer.data.node_count} nodes`);
      return [ms];
    },
    measurePeer: async () => {
      const program = join(ROOT, 'e2e/bench/peers/accessible-tree.py');
      const env = { ...process.env, ...bus, DISPLAY: desktop.display };
      const { stdout } = await promisify(execFile)('/usr/bin/python3', [program, String(NODES)], { env });
      return [Number(stdout)];
    },
  };
}

async function recordingOf(stack: AsyncDisposableStack): Promise<Measurement> {
  const server = stack.use(await XServer.start(`${WIDTH}x${HEIGHT}`));
  server.run('xterm', '-geometry', '210x78+0+0', '-e', 'sh', '-c', WRITES);
  const directory = mkdtempSync(join(tmpdir(), 'bench-recording-'));
  stack.defer(() => rmSync(directory, { recursive: true, force: true }));
  const worker = stack.use(await startWorker(server.display));
  const record = async (body: object): Promise<void> => {
    const url = `http://127.0.0.1:${worker.port}/v2/computer/record`;
    const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(await answer.text());
  };
  return {
    rows: [lower('recording at 15 fps', 'cores', { words: 'under 0.15 of a core', of: 'value', bound: 0.15 })],
    peer: 'ffmpeg alone',
    rounds: 3,
    measureOurs: async () => {
      await record({ action: 'start', save_path: join(directory, 'ours.mp4'), fps: FPS, crf: CRF });
      const cores = await coresOf(worker.pid);
      await record({ action: 'stop' });
      return [cores];
    },
    measurePeer: async () => {
      const size = { width: WIDTH, height: HEIGHT };
      const terms = { display: server.display, fps: FPS, crf: CRF, maxDuration: 60, size, output: size };
      const target = join(directory, 'theirs.mp4');
      const child = spawn('ffmpeg', ffmpegArguments({ ...terms, keepsProportions: false, target }), {
        stdio: ['ignore', 'ignore', 'ignore', 'ignore'],
      });
      try {
        return [await coresOf(child.pid ?? 0)];
      } finally {
        child.kill();
      }
    },
  };
}

/** Processor time of a process and its children for each second of the time that is recorded. */
async function coresOf(pid: number): Promise<number> {
  const before = processorSeconds(pid);
  await delay(RECORDED_MS);
  return (processorSeconds(pid) - before) / (RECORDED_MS / 1000);
}

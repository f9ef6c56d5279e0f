import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { XServer } from '../../computer-use/src/x-server.fixture.ts';
import { ROOT } from '../../scripts/root.ts';
import { debianProgram } from '../../scripts/test-all/need.ts';
import { freePort } from '../../scripts/testing/free-port.ts';
import type { Benchmark, Measurement } from '../harness/benchmark.ts';
import { memoryOf } from '../testbed/memory.ts';
import { type Service, serve, startPeer } from '../testbed/services.ts';

const run = promisify(execFile);
const CALLS = 20;
const MEGABYTE = 1e6;
const IDLE_MS = 2000;
const CLICK = { action_type: 'CLICK', x: 50, y: 50 };

export const desktop: Benchmark = {
  name: 'desktop',
  about:
    'the worker on a display of Xtigervnc, 1280×1024, that a terminal fills with text, asked over HTTP; each figure is ' +
    'the mean of 20 calls. `scrot` and `import` write their picture to a file; `xdotool click` waits between press and ' +
    'release; `ffmpeg` grabs one frame as PNG. Memory is VmRSS two seconds after the first answer, beside a ' +
    '`node:http` server of ten lines.',
  needs: [
    debianProgram('Xtigervnc', 'the display', 'tigervnc-standalone-server'),
    debianProgram('xterm', 'it fills the display'),
    debianProgram('scrot', 'pictures are held against it'),
    debianProgram('import', 'pictures are held against it', 'imagemagick'),
    debianProgram('ffmpeg', 'pictures are held against it'),
    debianProgram('xdotool', 'clicks are held against it'),
  ],
  async prepare(stack) {
    const server = stack.use(await XServer.start('1280x1024'));
    server.run('xterm', '-geometry', '210x78+0+0', '-e', 'sh', '-c', 'ls -lR /usr/share/doc | head -2000; sleep 9999');
    await delay(IDLE_MS);
    const directory = mkdtempSync(join(tmpdir(), 'bench-desktop-'));
    stack.defer(() => rmSync(directory, { recursive: true, force: true }));
    const file = (name: string): string => join(directory, name);
    const env = { ...process.env, DISPLAY: server.display };
    const program = (name: string, ...args: string[]) => meanOf(() => run(name, args, { env }));
    const worker = stack.use(await startWorker(server.display));
    const url = `http://127.0.0.1:${worker.port}/v2/computer`;
    const picture = (query: string) => meanOf(() => answered(fetch(`${url}/screenshot?${query}`), 200));
    const scrot = program('scrot', '--overwrite', file('a.jpg'));
    const grab = ['-loglevel', 'error', '-y', '-f', 'x11grab', '-i', server.display, '-frames:v', '1', file('c.png')];
    const xdotool = program('xdotool', 'mousemove', '50', '50', 'click', '1');
    return [
      row('JPEG', 'at least as fast as scrot', 1, 'scrot', picture('format=jpeg'), scrot),
      row(
        'PNG',
        '3× faster than import',
        1 / 3,
        'import',
        picture(''),
        program('import', '-window', 'root', file('b.png')),
      ),
      row('PNG beside ffmpeg', '3× faster than ffmpeg', 1 / 3, 'ffmpeg', picture(''), program('ffmpeg', ...grab)),
      limit('unchanged screen', 2, 'scrot', unchanged(url), scrot),
      row('click', '20× faster than xdotool click', 1 / 20, 'xdotool click', post(`${url}/actions`), xdotool),
      limit('click with picture', 25, 'xdotool click', post(`${url}/actions?include_screenshot=true`), xdotool),
      {
        rows: [
          {
            name: 'worker idle memory',
            unit: 'MB',
            better: 'lower',
            goal: { words: 'at most 1.4× node:http', of: 'ratio', bound: 1.4 },
          },
        ],
        peer: 'bare node:http',
        rounds: 3,
        measureOurs: () => idleOf(startWorker(server.display)),
        measurePeer: () => idleOf(startPeer('bare.mjs')),
      },
    ];
  },
};

type Measure = () => Promise<readonly number[]>;

function row(name: string, words: string, bound: number, peer: string, ours: Measure, theirs: Measure): Measurement {
  const goal = { words, of: 'ratio', bound } as const;
  return { rows: [{ name, unit: 'ms', better: 'lower', goal }], peer, measureOurs: ours, measurePeer: theirs };
}

function limit(name: string, bound: number, peer: string, ours: Measure, theirs: Measure): Measurement {
  const goal = { words: `under ${bound} ms`, of: 'value', bound } as const;
  return { rows: [{ name, unit: 'ms', better: 'lower', goal }], peer, measureOurs: ours, measurePeer: theirs };
}

async function startWorker(display: string): Promise<Service> {
  const port = await freePort();
  const command = [process.execPath, '--max-semi-space-size=4', join(ROOT, 'dist/computer-use.mjs')];
  const env = { DISPLAY: display, COMPUTER_USE_PORT: String(port), LOG_LEVEL: 'silent' };
  return serve(command, { port, env, answers: /^HTTP\/1\.1 \d/ });
}

/** Mean milliseconds of a call. */
function meanOf(call: () => Promise<unknown>): Measure {
  return async () => {
    const begun = performance.now();
    for (let calls = 0; calls < CALLS; calls += 1) await call();
    return [(performance.now() - begun) / CALLS];
  };
}

async function answered(answering: Promise<Response>, status: number): Promise<Response> {
  const answer = await answering;
  await answer.arrayBuffer();
  if (answer.status !== status) throw new Error(`${answer.url} answered ${answer.status}`);
  return answer;
}

function unchanged(url: string): Measure {
  return async () => {
    const { headers } = await answered(fetch(`${url}/screenshot`), 200);
    const asked = { headers: { 'if-none-match': headers.get('etag') ?? '' } };
    return meanOf(() => answered(fetch(`${url}/screenshot`, asked), 304))();
  };
}

function post(url: string): Measure {
  const asked = { method: 'POST', body: JSON.stringify(CLICK) };
  return meanOf(() => answered(fetch(url, asked), 200));
}

async function idleOf(starting: Promise<Service>): Promise<number[]> {
  await using service = await starting;
  await delay(IDLE_MS);
  return [memoryOf(service.pid).rss / MEGABYTE];
}

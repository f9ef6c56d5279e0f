import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { XServer } from '../../../computer-use/src/x-server.fixture.ts';
import { debianProgram } from '../../../scripts/test-all/need.ts';
import { memoryOf } from '../../../scripts/testing/process-memory.ts';
import type { Benchmark, Measurement } from '../harness/benchmark.ts';
import { bounded, lower } from '../harness/rows.ts';
import { HttpClient } from '../testbed/http-client.ts';
import { type Service, startPeer, startWorker } from '../testbed/services.ts';

const run = promisify(execFile);
const CALLS = 20;
/** Calls that take about a millisecond each. */
const SHORT_CALLS = 200;
const MEGABYTE = 1e6;
const IDLE_MS = 2000;
const CLICK = { action_type: 'CLICK', x: 50, y: 50 };

export const desktop: Benchmark = {
  name: 'desktop',
  about:
    'the worker on a display of Xtigervnc, 1280×1024, that a terminal fills with text, asked over HTTP; each figure is ' +
    'the mean of 20 calls, of an unchanged screen of 200. `scrot` and `import` write their picture to a file; `xdotool click` waits between press and ' +
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
  return { rows: [lower(name, 'ms', { words, of: 'ratio', bound })], peer, measureOurs: ours, measurePeer: theirs };
}

function limit(name: string, bound: number, peer: string, ours: Measure, theirs: Measure): Measurement {
  return { rows: [bounded(name, 'ms', bound, 'under')], peer, measureOurs: ours, measurePeer: theirs };
}

/** Mean milliseconds of a call. */
function meanOf(call: () => Promise<unknown>, count = CALLS): Measure {
  return async () => {
    const begun = performance.now();
    for (let calls = 0; calls < count; calls += 1) await call();
    return [(performance.now() - begun) / count];
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
    using client = new HttpClient(Number(new URL(url).port), { 'if-none-match': headers.get('etag') ?? '' });
    const ask = async (): Promise<void> => {
      const { status } = await client.get(`${new URL(url).pathname}/screenshot`);
      if (status !== 304) throw new Error(`an unchanged screen answered ${status}`);
    };
    return await meanOf(ask, SHORT_CALLS)();
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

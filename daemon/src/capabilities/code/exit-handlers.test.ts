import { existsSync, readFileSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempDir } from '../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../app.fixture.ts';
import { PATIENCE_MS, processesWith, testKernels } from './cells.fixture.ts';
import { cellsOf } from './languages.fixture.ts';
import { LEAVE_MS } from './runtime/leave.ts';

/** Cells that leave a file open and register a handler, which writes the name of the file to another one. */
const HANDLERS = {
  python: (file: string) =>
    `import atexit, subprocess\nheld = open('${file}.open', 'w')\n_ = held.write('kept')\n` +
    `_ = atexit.register(lambda: open('${file}', 'w').write('left'))\nchild = subprocess.Popen(['/bin/sleep', '307'])`,
  javascript: (file: string) =>
    `const fs = require('fs'); process.on('exit', () => { fs.writeFileSync('${file}', 'left'); ` +
    `fs.writeFileSync('${file}.open', 'kept') }); require('child_process').spawn('sleep', ['307'], { stdio: 'ignore' }).unref(); 0`,
  bash: (file: string) => `trap 'printf left > ${file}; printf kept > ${file}.open' EXIT; sleep 307 &`,
} as const;

/** Ends of an interpreter that are in order. */
const ENDS = {
  delete: async (daemon: TestApp) => void (await daemon.inject({ method: 'DELETE', url: '/v2/code/sessions/s' })),
  restart: async (daemon: TestApp) => void (await daemon.post('/v2/code/sessions/s/restart', {})),
  shutdown: async (daemon: TestApp) => await daemon[Symbol.asyncDispose](),
  'no session': async () => undefined,
} as const;

type Language = keyof typeof HANDLERS;
const LANGUAGES = Object.keys(HANDLERS) as Language[];
/** Runs tests of a language where the machine has it. */
const testOf = (language: Language) => (language === 'python' ? testKernels : test);

/** Processes of the cell whose handlers write that file, without the interpreter of a restarted session. */
const childrenOf = (file: string): number[] =>
  processesWith(`SVC_TEST_CELL=${file}`).filter((pid) => /^(?:.bin.)?sleep\0/.test(commandOf(pid)));

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');

interface Ended {
  readonly language: Language;
  readonly session?: object;
  /** The session is closed after so many seconds. */
  readonly idleSeconds?: number;
  readonly end: (daemon: TestApp) => Promise<void>;
}

/** Runs a cell, ends its interpreter and reads what the handler left. */
async function handled(daemon: TestApp, { language, end, session = { session_id: 's' }, idleSeconds }: Ended) {
  await using dir = await tempDir();
  const file = join(dir.path, 'left');
  const env = { SVC_TEST_CELL: file };
  if (idleSeconds) await daemon.post('/v2/code/sessions', { id: 's', language, env, max_idle_seconds: idleSeconds });
  const run = cellsOf(daemon, language, session);
  expect(await run(HANDLERS[language](file), { env })).toMatchObject({ status: 'ok' });
  await end(daemon);
  await expect.poll(() => [textOf(file), textOf(`${file}.open`)], { timeout: 20_000 }).toEqual(['left', 'kept']);
  await expect.poll(() => childrenOf(file), { timeout: 20_000 }).toEqual([]);
}

const sessionsOf = async (daemon: TestApp) => (await daemon.inject('/v2/code/sessions')).json().data.sessions;

describe('exit handlers', { timeout: PATIENCE_MS }, () => {
  for (const language of LANGUAGES) {
    const it = testOf(language);
    for (const [name, end] of Object.entries(ENDS)) {
      it(`[code.exit-handlers] of ${language} run: ${name}`, async () => {
        await using daemon = await TestApp.start();
        await handled(daemon, { language, end, ...(end === ENDS['no session'] && { session: {} }) });
      });
    }

    it(`[code.exit-handlers] of ${language} run: idle time`, async () => {
      await using daemon = await TestApp.start();
      await handled(daemon, { language, end: async () => undefined, idleSeconds: 3 });
      expect(await sessionsOf(daemon)).toEqual([]);
    });
  }

  testKernels('[code.exit-handlers] of a session that gives way to another one run', async () => {
    await using daemon = await TestApp.start({ kernelMaxSessions: 1 });
    const end = async () => void (await daemon.post('/v2/code/sessions', { id: 'other', language: 'python' }));
    await handled(daemon, { language: 'python', end, session: { stateful: true } });
    expect(await sessionsOf(daemon)).toMatchObject([{ session_id: 'other' }]);
  });

  testKernels('[code.exit-handlers] of a forked kernel run', async () => {
    await using daemon = await TestApp.start({ processHost: 'portable' });
    await cellsOf(daemon, 'python', {})('1');
    const zygotes = async () => /^code_zygotes (\d+)/m.exec((await daemon.inject('/metrics')).body)?.[1];
    await expect.poll(zygotes, { timeout: 60_000 }).toBe('1');
    await handled(daemon, { language: 'python', end: ENDS['no session'], session: {} });
  });

  test('[code.exit-handlers] of Python without ipykernel run, also where the cell ends it', async () => {
    const before = process.env['PATH'];
    await using dir = await tempDir();
    // Without site-packages no Python has ipykernel.
    const program = join(dir.path, 'python3');
    await chmod(dir.path, 0o755);
    await writeFile(program, '#!/bin/sh\nexec /usr/bin/python3 -S "$@"\n', { mode: 0o755 });
    process.env['PATH'] = dir.path;
    try {
      await using daemon = await TestApp.start();
      for (const name of ['delete', 'restart', 'no session'] as const) {
        const session = name === 'no session' ? {} : { session_id: 's' };
        await handled(daemon, { language: 'python', end: ENDS[name], session });
      }
      const left = await cellsOf(
        daemon,
        'python',
      )('import atexit\n_ = atexit.register(print, "bye")\nraise SystemExit(3)');
      expect(left).toMatchObject({ stdout: 'bye\n', exit_code: 3 });
    } finally {
      process.env['PATH'] = before;
    }
  });

  test('[code.exit-handlers] what those of a script in JavaScript print is part of its cell', async () => {
    await using daemon = await TestApp.start();
    const run = cellsOf(daemon, 'javascript', {});
    const handler = 'process.on("exit", (code) => console.log("bye", code)); setTimeout(() => console.log("late"), 5);';
    expect(await run(`${handler} 5`)).toMatchObject({ status: 'ok', stdout: 'late\nbye 0\n' });
    expect(await run(`${handler} process.exit(3)`)).toMatchObject({ exit_code: 3, stdout: 'bye 3\n' });
  });

  const endless = {
    python: 'import atexit, time\n_ = atexit.register(time.sleep, 300)',
    javascript: 'process.on("exit", () => { for (;;); })',
    bash: `trap 'sleep 300' EXIT`,
  };
  test.for(Object.entries(endless))(
    '[code.exit-handlers] one of %s that never ends is killed',
    async ([language, code]) => {
      await using daemon = await TestApp.start();
      await cellsOf(daemon, language)(code);
      const begun = performance.now();
      expect((await daemon.inject({ method: 'DELETE', url: '/v2/code/sessions/s' })).statusCode).toBe(200);
      expect(performance.now() - begun).toBeGreaterThan(LEAVE_MS - 50);
      expect(await sessionsOf(daemon)).toEqual([]);
    },
  );
});

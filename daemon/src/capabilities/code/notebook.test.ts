import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { tempDir } from '../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../app.fixture.ts';
import { errorOf, PATIENCE_MS, python, resultOf, testKernels } from './cells.fixture.ts';

testKernels(
  '[code.characters] a character in two pieces is whole, from a program of the cell and from a shell command',
  async () => {
    await using daemon = await TestApp.start();
    const pieces = String.raw`printf 'a\303'; read -t 0.3 x < /dev/zero; sleep 0.2; printf '\251b'`;
    const run = `import subprocess\nsubprocess.run(["bash", "-c", r"""${pieces}"""])\nNone`;
    expect((await python(daemon, run, { session_id: 's' })).stdout).toBe('aéb');
    expect(
      (await python(daemon, String.raw`!printf "a\303"; sleep 0.2; printf "\251b"`, { session_id: 's' })).stdout,
    ).toBe('aéb');
    // What is no character neither waits for the next cell nor ends the reader of the stream.
    const broken = `${String.raw`import subprocess`}\n${String.raw`subprocess.run(["printf", r"x\377\303"])`}\nNone`;
    expect((await python(daemon, broken, { session_id: 's' })).stdout).toBe('x\ufffd\ufffd');
    expect((await python(daemon, run, { session_id: 's' })).stdout).toBe('aéb');
  },
  PATIENCE_MS,
);

testKernels(
  '[code.characters] a lone surrogate is U+FFFD in a stream, an error and a display, and the cell ends',
  async () => {
    await using daemon = await TestApp.start();
    const cell = async (code: string) => await python(daemon, code, { session_id: 's', timeout: 20 });
    const lone = 'chr(0xd800)';
    expect(resultOf(await cell(lone))).toBe(String.raw`'\ud800'`);
    expect((await cell(`print("a" + ${lone} + "b")`)).stdout).toMatch(/^a\ufffd+b\n$/);
    const raised = await cell(`raise ValueError(${lone})`);
    expect([errorOf(raised), raised.outputs.at(-1)?.evalue]).toEqual(['ValueError', expect.stringMatching(/\ufffd/)]);
    expect((await cell(`from IPython.display import HTML\nHTML("<b>" + ${lone})`)).status).toBe('ok');
    expect((await cell(`import os\nos.fsdecode(b"\\xff")`)).status).toBe('ok');
    expect(resultOf(await cell('1 + 1'))).toBe('2');
  },
  PATIENCE_MS,
);

testKernels(
  '[code.pagers] help, question marks and %load give their text; %cd prints no warning',
  async () => {
    await using daemon = await TestApp.start();
    const cell = async (code: string) => await python(daemon, code, { session_id: 's' });
    expect((await cell('?print')).stdout).toContain('Prints the values to a stream');
    expect((await cell('print?')).stdout).not.toContain('\u001b');
    expect((await cell('help(print)')).stdout).toContain('Prints the values to a stream');
    expect((await cell('%pdoc print')).stdout).toContain('Prints the values to a stream');
    expect((await cell('%load /etc/hostname')).stdout).toContain('# %load /etc/hostname');
    expect(await cell('%cd /usr')).toMatchObject({ stdout: '/usr\n', stderr: '' });
  },
  PATIENCE_MS,
);

testKernels(
  '[code.nested-loops] asyncio.run works in a cell, at the top and in a coroutine; another way names it',
  async () => {
    await using daemon = await TestApp.start();
    const cell = async (code: string) => await python(daemon, code, { session_id: 's' });
    const main = 'import asyncio\nasync def main():\n    await asyncio.sleep(0.01)\n    return 5\n';
    expect(resultOf(await cell(`${main}asyncio.run(main())`))).toBe('5');
    expect(
      resultOf(await cell('async def outer():\n    return asyncio.run(main()) + await main()\nawait outer()')),
    ).toBe('10');
    const failed = await cell('asyncio.get_event_loop().run_until_complete(main())');
    expect(errorOf(failed)).toBe('RuntimeError');
    expect(failed.outputs.at(-1)?.evalue).toContain('asyncio.run()');
    expect(resultOf(await cell('await main()'))).toBe('5');
  },
  PATIENCE_MS,
);

testKernels(
  '[code.exit] exit() ends the session in order, and the next cell begins a new one',
  async () => {
    await using place = await tempDir();
    await using daemon = await TestApp.start();
    const file = join(place.path, 'left');
    const cell = async (code: string, more = {}) => await python(daemon, code, { session_id: 's', ...more });
    for (const exit of ['exit()', 'quit()']) {
      const handler = `import atexit\nkept = 1\n_ = atexit.register(lambda: open('${file}', 'a').write('left '))`;
      const ended = await cell(`${handler}\nprint('x')\n${exit}`);
      expect(ended).toMatchObject({ status: 'ok', stdout: 'x\n', exit_code: 0 });
      // A kernel that is about to end would not run it to its end.
      const next = await cell('import time\ntime.sleep(0.5)\n"kept" in globals()');
      expect([next.status, resultOf(next)]).toEqual(['ok', 'False']);
    }
    expect(readFileSync(file, 'utf8')).toBe('left left ');
    expect(await cell('kept = 1\nexit(keep_kernel=True)')).toMatchObject({ status: 'ok', exit_code: null });
    expect(resultOf(await cell('kept'))).toBe('1');
    expect(await cell('exit()', { session_id: undefined })).toMatchObject({ status: 'ok', exit_code: 0 });
  },
  PATIENCE_MS,
);

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { expect } from 'vitest';
import { tempDir } from '../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../app.fixture.ts';

/** Starts ipykernel, by the interpreter of Debian. */
export const IPYKERNEL: readonly string[] = ['/usr/bin/python3', '-m', 'ipykernel_launcher', '-f', '{connection_file}'];

/** Runs with a daemon that finds kernels of these names, each started by its arguments. */
export async function withKernels(
  specs: Readonly<Record<string, readonly string[]>>,
  run: (daemon: TestApp) => Promise<void>,
): Promise<void> {
  await using _installed = await installKernels(specs);
  await using daemon = await TestApp.start();
  await run(daemon);
}

/** Has daemons that start from now on find kernels of these names, until it is disposed. */
export async function installKernels(specs: Readonly<Record<string, readonly string[]>>): Promise<AsyncDisposable> {
  const data = await tempDir();
  for (const [name, argv] of Object.entries(specs)) {
    const directory = join(data.path, 'kernels', name);
    await mkdir(directory, { recursive: true });
    const spec = { argv, display_name: name, language: 'python' };
    await writeFile(join(directory, 'kernel.json'), JSON.stringify(spec));
  }
  const before = process.env['JUPYTER_PATH'];
  process.env['JUPYTER_PATH'] = data.path;
  return {
    async [Symbol.asyncDispose]() {
      if (before === undefined) delete process.env['JUPYTER_PATH'];
      else process.env['JUPYTER_PATH'] = before;
      await data[Symbol.asyncDispose]();
    },
  };
}

/** Checks that none of the routes runs Python in a session that another kernel has. */
export async function expectConflicts(daemon: TestApp, urls: readonly string[], sessionId: string): Promise<void> {
  for (const url of urls) {
    const answer = await daemon.post(url, {
      language: 'python',
      session_id: sessionId,
      ...(url.endsWith('/execute') && { code: '1' }),
    });
    expect([url, answer.statusCode, answer.json().hint]).toEqual([url, 409, expect.stringContaining('session')]);
  }
}

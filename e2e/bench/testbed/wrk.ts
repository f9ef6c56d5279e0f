import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { debianProgram } from '../../../scripts/test-all/need.ts';

export const WRK = debianProgram('wrk', 'it makes the load for the rates of the gateway');

export const NGINX = debianProgram('nginx', 'the gateway is held against it');

/**
 * Requests a path repeatedly from one thread on so many kept connections; with a JSON body, by POST.
 * @returns requests per second
 * @throws Error if a request failed or its status was not 2xx or 3xx
 */
export async function wrk(
  port: number,
  path: string,
  {
    connections = 32,
    seconds = 2,
    headers = {},
    body,
  }: { connections?: number; seconds?: number; headers?: Record<string, string>; body?: string },
): Promise<number> {
  const fields = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const script = body === undefined ? undefined : scriptFor(body);
  using _script = script;
  const scripted = script ? ['-s', script.path] : [];
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, ...scripted, ...fields, `http://127.0.0.1:${port}${path}`];
  const { stdout } = await promisify(execFile)('wrk', args);
  const rate = /^Requests\/sec:\s+([\d.]+)$/m.exec(stdout)?.[1];
  if (rate === undefined || /Non-2xx|Socket errors/.test(stdout)) throw new Error(`wrk: ${stdout}`);
  return Number(rate);
}

/** wrk takes the body of a POST from a Lua script. */
function scriptFor(body: string): { readonly path: string } & Disposable {
  const directory = mkdtempSync(join(tmpdir(), 'bench-wrk-'));
  const path = join(directory, 'post.lua');
  const lines = [
    'wrk.method = "POST"',
    `wrk.body = [==[${body}]==]`,
    'wrk.headers["Content-Type"] = "application/json"',
  ];
  writeFileSync(path, lines.join('\n'));
  return { path, [Symbol.dispose]: () => rmSync(directory, { recursive: true }) };
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { CLUSTER } from './cluster.ts';

/** For one call, in milliseconds; a wait of kubectl's own is shorter. */
const CALL_MS = 180_000;

/** An object of the API, as far as the tests read it. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly uid?: string; readonly [name: string]: unknown };
  readonly [name: string]: unknown;
}

/** @throws Error with the message of kubectl if it does not exit 0 */
export async function kubectl(args: readonly string[], input = ''): Promise<string> {
  const { code, output, errors } = await tried(args, input);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${errors.trim().slice(0, 2000)}`);
  return output;
}

/** The message with which kubectl refuses; undefined if it does not. */
export async function refusal(args: readonly string[], input = ''): Promise<string | undefined> {
  const { code, errors } = await tried(args, input);
  return code === 0 ? undefined : errors;
}

export async function apply(namespace: string, ...objects: readonly object[]): Promise<void> {
  await kubectl(['-n', namespace, 'apply', '-f', '-'], JSON.stringify(listOf(objects)));
}

function listOf(objects: readonly object[]): object {
  return { apiVersion: 'v1', kind: 'List', items: objects };
}

export async function get<T = KubeObject>(namespace: string, kind: string, name: string): Promise<T> {
  return JSON.parse(await kubectl(['-n', namespace, 'get', kind, name, '-o', 'json'])) as T;
}

interface Tried {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

async function tried(args: readonly string[], input: string): Promise<Tried> {
  const child = spawn(CLUSTER.kubectl, args, { stdio: 'pipe', timeout: CALL_MS });
  child.stdin.end(input);
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: Number(code ?? 1), output, errors };
}

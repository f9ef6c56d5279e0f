/** What a program with generated types looks like: types of a surface stand in `./v1-types.ts` and `./v2-types.ts`. */
export const TYPED_WORKFLOW = `
import type { operations as V1 } from './v1-types.ts';
import type { operations as V2 } from './v2-types.ts';

type Json<T> = T extends { content: { 'application/json': infer Body } } ? Body : never;
type Body<O> = O extends { requestBody: infer R } ? Json<R> : O extends { requestBody?: infer R } ? Json<R> : undefined;
type Answer<O> = O extends { responses: { 200: infer R } } ? Json<R> : never;
type Query<O> = O extends { parameters: { query: infer Q } } ? Q : O extends { parameters: { query?: infer Q } } ? Q : never;

export async function workflow(base: string, key: string, directory: string): Promise<string[]> {
  async function call(method: string, path: string, query: object | undefined, body: unknown): Promise<any> {
    const texts = Object.entries(query ?? {}).map(([name, value]) => [name, String(value)]);
    const response = await fetch(base + path + '?' + new URLSearchParams(texts), {
      method,
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (response.status !== 200) throw new Error(method + ' ' + path + ': ' + (await response.text()));
    return response.json();
  }
  const path = directory + '/poem.txt';

  const file: Body<V2['writeFile']> = { path, content: 'roses' };
  const written: Answer<V2['writeFile']> = await call('POST', '/v2/fs/write', undefined, file);
  const run: Body<V2['runCommand']> = { command: 'cat poem.txt', cwd: directory, env: { A: null } };
  const ran: Answer<V2['runCommand']> = await call('POST', '/v2/commands', undefined, run);
  const look: Query<V2['readCommand']> = { wait: true, wait_timeout: 10 };
  const read: Answer<V2['readCommand']> = await call('GET', '/v2/commands/' + ran.data.command_id, look, undefined);
  const stat: Query<V2['statFile']> = { path, follow_symlinks: false };
  const status: Answer<V2['statFile']> = await call('GET', '/v2/fs/stat', stat, undefined);

  const exec: Body<V1['execBash']> = { command: 'cat ' + path };
  const executed: Answer<V1['execBash']> = await call('POST', '/v1/bash/exec', undefined, exec);
  const open: Body<V1['readFile']> = { file: path };
  const opened: Answer<V1['readFile']> = await call('POST', '/v1/file/read', undefined, open);
  const content = 'content' in opened.data ? opened.data.content : opened.data.message;

  return [String(written.data.bytes_written), read.data.stdout, String(status.data.size), executed.data.stdout ?? '', content];
}

// @ts-expect-error the command is required
export const withoutCommand: Body<V2['runCommand']> = { cwd: '/' };
// @ts-expect-error no such mode
export const wrongMode: Body<V2['runCommand']> = { command: 'true', mode: 'later' };
// @ts-expect-error the path is required
export const withoutPath: Query<V2['statFile']> = {};
`;

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { has } from '../../../../../scripts/testing/machine.ts';
import { E2bClient } from '../e2b-client.fixture.ts';

const BYTES = { 'content-type': 'application/octet-stream' };
const SET = 'import os, sys; os.setxattr(sys.argv[1], sys.argv[2], bytes.fromhex(sys.argv[3]))';

async function startIn(): Promise<{ readonly client: E2bClient; readonly at: (name: string) => string }> {
  const directory = await mkdtempDisposable(join(tmpdir(), 'e2b-metadata-'));
  onTestFinished(() => directory.remove());
  const client = await E2bClient.start();
  onTestFinished(() => client[Symbol.asyncDispose]());
  return { client, at: (name) => join(directory.path, name) };
}

describe.runIf(has('compiler'))('file metadata', () => {
  test('[e2b.metadata] it is kept with the file, and an upload replaces all of it', async () => {
    const { client, at } = await startIn();
    const { stat, listDir, move, createWatcher, getWatcherEvents } = client.rpc().filesystem;
    const metadata = { author: 'mish', 'a.b_c': '~ value', empty: '', __proto__x: 'y' };
    const headers = Object.fromEntries(Object.entries(metadata).map(([key, value]) => [`X-Metadata-${key}`, value]));
    const upload = async (name: string, more: Record<string, string>) => {
      const url = `/files?path=${encodeURIComponent(at(name))}`;
      return await (await client.fetch(url, { method: 'POST', body: 'x', headers: { ...BYTES, ...more } })).json();
    };
    const { watcherId } = await createWatcher({ path: at('.'), includeEntry: true });
    expect(await upload('f', headers)).toEqual([{ name: 'f', type: 'file', path: at('f'), metadata }]);
    const { events } = await getWatcherEvents({ watcherId });
    expect(events).toContainEqual(expect.objectContaining({ entry: expect.objectContaining({ metadata }) }));
    expect((await stat({ path: at('f') })).entry.metadata).toEqual(metadata);
    expect((await listDir({ path: at('.') })).entries).toMatchObject([{ name: 'f', metadata }]);
    expect((await move({ source: at('f'), destination: at('g') })).entry.metadata).toEqual(metadata);
    await upload('g', { 'x-metadata-only': 'this' });
    expect((await stat({ path: at('g') })).entry.metadata).toEqual({ only: 'this' });
    expect(await upload('g', {})).toEqual([{ name: 'g', type: 'file', path: at('g') }]);
    expect((await stat({ path: at('g') })).entry.metadata).toEqual({});
  });

  test('[e2b.metadata] each file of a form has it, and of a repeated header the first value counts', async () => {
    const { client, at } = await startIn();
    const { stat } = client.rpc().filesystem;
    const form = new FormData();
    for (const name of ['one', 'two']) form.append('file', new Blob([name]), at(name));
    await client.fetch('/files', { method: 'POST', body: form, headers: { 'x-metadata-source': 'form' } });
    for (const name of ['one', 'two'])
      expect((await stat({ path: at(name) })).entry.metadata).toEqual({ source: 'form' });
    const headers = { ...BYTES, 'X-Metadata-K': ['first', 'second'] };
    const repeated = request(`${client.url}/files?path=${encodeURIComponent(at('three'))}`, {
      method: 'POST',
      headers,
    });
    repeated.end('x');
    const [answer] = await once(repeated, 'response');
    expect(await json(answer)).toMatchObject([{ metadata: { k: 'first' } }]);
  });

  test('[e2b.metadata] over the limits of envd nothing is written', async () => {
    const { client, at } = await startIn();
    const { stat } = client.rpc().filesystem;
    const status = async (headers: Record<string, string>) => {
      const url = `/files?path=${encodeURIComponent(at('f'))}`;
      return (await client.fetch(url, { method: 'POST', body: 'x', headers: { ...BYTES, ...headers } })).status;
    };
    const key = (length: number) => `x-metadata-${'k'.repeat(length)}`;
    expect(await status({ [key(247)]: '' })).toBe(400);
    expect(await status({ 'x-metadata-': 'v' })).toBe(400);
    expect(await status({ [key(1)]: 'ü' })).toBe(400);
    expect(await status({ [key(1)]: 'a\tb' })).toBe(400);
    const namespace = 'user.e2b.'.length;
    expect(await status({ [key(1)]: 'v'.repeat(4096 - namespace) })).toBe(400);
    await expect(stat({ path: at('f') })).rejects.toThrow();
    expect(await status({ [key(246)]: 'v' })).toBe(200);
    expect((await stat({ path: at('f') })).entry.metadata).toEqual({ ['k'.repeat(246)]: 'v' });
  });

  test.runIf(has('python3'))(
    '[e2b.metadata] attributes of other programs show if they are of its namespace',
    async () => {
      const { client, at } = await startIn();
      const { stat, makeDir } = client.rpc().filesystem;
      const set = (name: string, key: string, value: Buffer) =>
        promisify(execFile)('python3', ['-c', SET, at(name), key, value.toString('hex')]);
      await makeDir({ path: at('d') });
      await set('d', 'user.e2b.author', Buffer.from('mish'));
      await set('d', 'user.other', Buffer.from('x'));
      await set('d', 'user.e2b.bytes', Buffer.of(0xff));
      expect((await stat({ path: at('d') })).entry.metadata).toEqual({ author: 'mish', bytes: '\ufffd' });
      await set('d', 'user.e2b.large', Buffer.alloc(4000, 'x'));
      await set('d', 'user.e2b.more', Buffer.alloc(100, 'x'));
      expect((await stat({ path: at('d') })).entry.metadata).toEqual({});
    },
  );
});

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { McpCaller } from '../mcp.fixture.ts';

const KIB = 1024;

interface Listed {
  readonly uri: string;
  readonly name: string;
}

describe('[mcp.resources]', () => {
  const home = mkdtempSync(join(tmpdir(), 'home-'));
  const outside = `${home}-outside`;
  let mcp: McpCaller;
  beforeAll(async () => {
    vi.stubEnv('HOME', home);
    writeFileSync(outside, 'elsewhere');
    symlinkSync(outside, join(home, 'out'));
    mcp = await McpCaller.start();
  });
  afterAll(async () => {
    await mcp[Symbol.asyncDispose]();
    vi.unstubAllEnvs();
    rmSync(home, { recursive: true });
    rmSync(outside);
  });

  const listed = async (): Promise<{ readonly all: Listed[]; readonly pages: number }> => {
    const all: Listed[] = [];
    for (let [cursor, pages] = [undefined as string | undefined, 1]; ; pages += 1) {
      const { resources, nextCursor } = (await mcp.request('resources/list', cursor === undefined ? {} : { cursor }))
        .result;
      expect(resources.length).toBeLessThanOrEqual(100);
      all.push(...resources);
      if (nextCursor === undefined) return { all, pages };
      cursor = nextCursor;
    }
  };
  const read = async (uri: string) => (await mcp.request('resources/read', { uri })).result.contents[0];

  test('files of the home and outputs of commands are listed in pages, each once', async () => {
    mkdirSync(join(home, 'sub'));
    const names = Array.from({ length: 230 }, (_, n) => `sub/${n} ü.txt`);
    for (const name of [...names, '.hidden', 'top']) writeFileSync(join(home, name), name);
    const { command_id } = await mcp.data('sandbox_execute_bash', { cmd: 'printf out; printf err >&2' });
    const { all, pages } = await listed();
    expect(pages).toBeGreaterThanOrEqual(4);
    const files = all.filter(({ uri }) => uri.startsWith('file://')).map(({ name }) => name);
    expect(files.toSorted()).toEqual([...names, 'top'].toSorted());
    expect(new Set(all.map(({ uri }) => uri)).size).toBe(all.length);
    const outputs = ['stdout', 'stderr'].map((stream) => `sandbox://commands/${command_id}/${stream}`);
    expect(all.map(({ uri }) => uri)).toEqual(expect.arrayContaining(outputs));
    expect(await Promise.all(outputs.map(async (uri) => (await read(uri)).text))).toEqual(['out', 'err']);
    const uri = all.find(({ name }) => name === names[7])?.uri ?? '';
    expect(await read(uri)).toMatchObject({ uri, text: names[7], mimeType: expect.stringContaining('text/plain') });
  });

  test('a read is bounded, and goes on at the offset that it names; bytes are base64', async () => {
    const text = 'é'.repeat(300 * KIB);
    writeFileSync(join(home, 'long'), text);
    writeFileSync(join(home, 'bytes'), Buffer.from([0xff, 0, 1]));
    const parts: string[] = [];
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const part = await read(`${pathToFileURL(join(home, 'long'))}?offset=${offset}`);
      expect(Buffer.byteLength(part.text)).toBeLessThanOrEqual(256 * KIB);
      parts.push(part.text);
      offset = part._meta.next_offset;
    }
    expect([parts.length, parts.join('') === text]).toEqual([3, true]);
    expect(await read(pathToFileURL(join(home, 'bytes')).href)).toMatchObject({ blob: '/wAB', _meta: { size: 3 } });
    const cmd = 'yes | head -c 600000';
    const { command_id } = await mcp.data('sandbox_execute_bash', { cmd, timeout: 60 });
    const first = await read(`sandbox://commands/${command_id}/stdout`);
    expect([first.text.length, first._meta]).toEqual([256 * KIB, { status: 'completed', next_offset: 256 * KIB }]);
    expect((await read(`sandbox://commands/${command_id}/stdout?offset=599998`)).text).toBe('y\n');
  });

  test('templates say how URIs are made, and clients are told that there are resources, but not with core', async () => {
    const { resourceTemplates } = (await mcp.request('resources/templates/list')).result;
    expect(resourceTemplates.map(({ uriTemplate }: { uriTemplate: string }) => uriTemplate).toSorted()).toEqual([
      'file://{+path}{?offset}',
      'sandbox://commands/{command_id}/{stream}{?offset}',
    ]);
    const clientInfo = { name: 'test', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    const message = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
    const capabilities = async (set: string) =>
      (await mcp.post(message, {}, `/mcp?tools=${set}`)).json.result.capabilities;
    expect(await capabilities('full')).toEqual({ tools: {}, resources: {} });
    expect(await capabilities('core')).toEqual({ tools: {} });
    const list = { jsonrpc: '2.0', id: 1, method: 'resources/list' };
    expect((await mcp.post(list, {}, '/mcp?tools=core')).json.error.code).toBe(-32601);
  });

  test.for([
    ['file:///etc/passwd', -32602, 'no file below'],
    [`${pathToFileURL(home)}/../../etc/passwd`, -32602, 'no file below'],
    [`${pathToFileURL(home)}/%2e%2e/%2e%2e/etc/passwd`, -32602, 'no file below'],
    [`${pathToFileURL(home)}/a%2f..%2f..%2fetc`, -32602, 'no file below'],
    [`${pathToFileURL(home)}/none`, -32602, 'none'],
    [`${pathToFileURL(home)}/top?offset=-1`, -32602, 'an offset that is not'],
    [`${pathToFileURL(home)}/top%00`, -32602, 'no file below'],
    [`${pathToFileURL(home)}/out`, -32602, 'do not cover'],
    ['file://host/a', -32602, 'no file below'],
    ['sandbox://commands/none/stdout', -32602, 'none'],
    ['sandbox://commands/none/stdin', -32602, 'no output'],
    ['sandbox://commands/%zz/stdout', -32602, 'no output'],
    ['http://localhost/', -32602, 'templates'],
    ['', -32602, 'templates'],
  ] as const)('[mcp.resources-refused] %s is error %i', async ([uri, code, says]) => {
    const { error } = await mcp.request('resources/read', { uri });
    expect(error).toMatchObject({ code, message: expect.stringContaining(says) });
  });

  test.each(['x', 'W10', Buffer.from('[9,null]').toString('base64url'), Buffer.from('[0,5]').toString('base64url')])(
    '[mcp.resources-refused] the cursor %s is refused',
    async (cursor) => {
      expect((await mcp.request('resources/list', { cursor })).error.code).toBe(-32602);
    },
  );
});

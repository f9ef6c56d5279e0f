import {
  closeSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect, post, test } from '../files.fixture.ts';

const MIB = 1024 ** 2;

/** A file of `size` bytes with text at these places and holes between them. */
function sparse(path: string, size: number, places: readonly number[] = []): void {
  const descriptor = openSync(path, 'wx');
  for (const at of places) writeSync(descriptor, 'data', at);
  ftruncateSync(descriptor, size);
  closeSync(descriptor);
}

test('[fs.copy-holes] a copy has the bytes and the holes of the source', async ({ daemon, dir }) => {
  const [source, destination] = [join(dir, 'a'), join(dir, 'b')];
  sparse(source, 64 * MIB + 5, [0, 10 * MIB + 7, 33 * MIB]);
  await post(daemon, 'copy', { source, destination });
  expect(readFileSync(destination).equals(readFileSync(source))).toBe(true);
  expect(statSync(destination).blocks).toBeLessThanOrEqual(statSync(source).blocks);
  await post(daemon, 'copy', { source: destination, destination: source, overwrite: true });
  expect(statSync(source).size).toBe(64 * MIB + 5);
});

test('a large file without holes is copied whole, zeros included', async ({ daemon, dir }) => {
  const [source, destination] = [join(dir, 'a'), join(dir, 'b')];
  writeFileSync(source, Buffer.concat([Buffer.alloc(9 * MIB), Buffer.from('end'), Buffer.alloc(MIB)]));
  await post(daemon, 'copy', { source, destination });
  expect(readFileSync(destination).equals(readFileSync(source))).toBe(true);
});

test('[fs.copy-left] a copy ends when its client leaves, and leaves nothing', async ({ daemon, dir }) => {
  const source = join(dir, 'a');
  sparse(source, 2 ** 42, [0]);
  const address = await daemon.listen();
  const body = JSON.stringify({ source, destination: join(dir, 'b') });
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  const call = request(`${address}/v2/fs/copy`, { method: 'POST', headers });
  call.on('error', () => undefined);
  call.end(body);
  await expect.poll(() => readdirSync(dir).length, { timeout: 20_000 }).toBe(2);
  call.destroy();
  await expect.poll(() => readdirSync(dir), { timeout: 20_000 }).toEqual(['a']);
});

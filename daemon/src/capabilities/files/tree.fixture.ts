import type { LightMyRequestResponse } from 'fastify';
import type { TestApp } from '../../app.fixture.ts';
import { BLOCK, type Header, writeHeader } from '../../core/files/tar/tar-header.ts';

export const TREE = '/v2/fs/tree';

export async function exported(
  daemon: TestApp,
  path: string,
  query: Record<string, string | string[]> = {},
): Promise<Buffer> {
  const answer = await daemon.inject({ url: TREE, query: { path, ...query } });
  if (answer.statusCode !== 200) throw new Error(answer.body);
  return answer.rawPayload;
}

export function imported(
  daemon: TestApp,
  path: string,
  payload: Buffer,
  query: Record<string, string> = {},
): Promise<LightMyRequestResponse> {
  return daemon.inject({
    method: 'PUT',
    url: TREE,
    query: { path, ...query },
    payload,
    headers: { 'content-type': 'application/x-tar' },
  });
}

/** An archive of the given entries, with padded bodies and two zero blocks at the end. */
export function archive(
  ...entries: (Partial<Omit<Header, 'name' | 'link'>> & { name: string; link?: string; body?: string })[]
): Buffer {
  const blocks = entries.flatMap(({ name, link = '', body = '', ...rest }) => {
    const block = Buffer.alloc(BLOCK);
    writeHeader(block, {
      type: '0',
      mode: 0o644,
      uid: 0,
      gid: 0,
      mtime: 1,
      size: body.length,
      ...rest,
      name: Buffer.from(name),
      link: Buffer.from(link),
    });
    return [block, Buffer.from(body), Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

import type { TestApp } from '../../../app.fixture.ts';
import { BLOCK, type Header, paxRecord, writeHeader } from '../../../core/files/tar/tar-header.ts';

export const NOTHING_CHANGED = { added: 0, removed: 0, modified: 0, metadata: 0, renamed: 0 } as const;

/** An entry of an archive, with its padded body. */
export function entry({
  name,
  link = '',
  body = '',
  ...rest
}: Partial<Omit<Header, 'name' | 'link'>> & {
  readonly name: string;
  readonly link?: string;
  readonly body?: string | Buffer;
}): Buffer {
  const block = Buffer.alloc(BLOCK);
  const defaults = { type: '0', mode: 0o644, uid: 0, gid: 0, mtime: 1, size: body.length, isPosix: true };
  writeHeader(block, { ...defaults, ...rest, name: Buffer.from(name), link: Buffer.from(link) });
  return Buffer.concat([block, Buffer.from(body), Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK)]);
}

/** An extended header with records, each a keyword and a value. */
export function pax(...records: readonly string[]): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < records.length; at += 2) parts.push(paxRecord(records[at] ?? '', records[at + 1] ?? ''));
  return entry({ name: 'pax', type: 'x', body: Buffer.concat(parts) });
}

/** What `tar` makes of blocks: they end with two of zeros. */
export async function imported(
  app: TestApp,
  payload: Buffer,
  query: Record<string, string>,
  headers: Record<string, string> = {},
) {
  const answer = await app.inject({
    method: 'POST',
    url: '/v2/checkpoints/import',
    query,
    payload: Buffer.concat([payload, payload[0] === 0x1f ? Buffer.alloc(0) : Buffer.alloc(2 * BLOCK)]),
    headers: { 'content-type': 'application/x-tar', ...headers },
  });
  const { data, ...body } = answer.json();
  return { statusCode: answer.statusCode, data, body };
}

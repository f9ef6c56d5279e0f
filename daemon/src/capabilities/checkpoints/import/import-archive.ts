import { read } from 'node:fs';
import { constants } from 'node:os';
import { promisify } from 'node:util';
import { latin1Of, pathOfBytes, pathOfLatin1, shownPath } from '../../../core/files/file-path.ts';
import { gunzipped } from '../../../core/files/tar/gunzip.ts';
import { keyOf, type Parts, partsOf } from '../../../core/files/tar/names.ts';
import { type TarEntry, TarReader } from '../../../core/files/tar/read-entries.ts';
import { TarFault } from '../../../core/files/tar/tar-fault.ts';
import { UNREAD_RECORD } from '../archive/pax-records.ts';
import type { Captured } from '../engine/capture.ts';
import type { EntryKind } from '../tree/entry.ts';
import { ArchiveTree, type ImportedObject } from './archive-tree.ts';
import { attributesOf, deviceNumber, type ImportedAttributes, keepsRecord, withoutPrivileges } from './attributes.ts';
import { BodyBytes } from './body-bytes.ts';
import { ContentWriter, type PutPiece } from './content.ts';
import { refusedArchive, tooLargeArchive } from './refused-archive.ts';
import { sparseName, sparseSizeOf, takeSparseMap } from './sparse-map.ts';

/** Most bytes of an archive, as it is sent and unpacked. */
export const ARCHIVE_BYTES_MAX = 4 * 1024 ** 3;
const CHUNK_BYTES = 256 * 1024;
/** Bodies that are read whole, without a stream of their own. */
const SMALL_BYTES = 64 * 1024;
const TARGET_BYTES = 4095;
const KINDS: Readonly<Record<string, EntryKind>> = { '0': 'f', '2': 'l', '3': 'c', '4': 'b', '5': 'd', '6': 'p' };

interface ImportTerms {
  /** Of objects that no entry describes, such as directories that are only part of names. */
  readonly owner: { readonly uid: number; readonly gid: number };
  /** Whether device nodes, file capabilities and set-ID bits are taken; else they are left out. */
  readonly takesPrivileges: boolean;
  readonly put: PutPiece;
  readonly signal: AbortSignal | undefined;
  /** Most bytes of the archive, unpacked. */
  readonly bytesMax?: number | undefined;
}

/**
 * Reads an archive from a file, plain or gzip, and stores the contents of its files.
 * @throws SandboxError `invalid` for an archive that is malformed or has what no directory can have, `too_large` over
 * 4 GiB, 1,000,000 entries or 256 MiB of names and attributes; the reason of the signal
 */
export async function importArchive(file: number, terms: ImportTerms): Promise<Captured> {
  try {
    const { bytesMax = ARCHIVE_BYTES_MAX } = terms;
    const tooLarge = (): Error => tooLargeArchive(`over ${bytesMax} bytes unpacked`);
    const source = gunzipped(chunksOf(file, terms.signal));
    const reader = new TarReader(source, bytesMax, tooLarge, keepsRecord);
    const run = new ImportRun(reader, terms);
    for (let entry = await reader.next(); entry; entry = await reader.next()) {
      terms.signal?.throwIfAborted();
      await run.take(entry);
    }
    await reader.drain();
    return run.finish();
  } catch (error) {
    throw error instanceof TarFault ? refusedArchive(error.message) : error;
  }
}

class ImportRun {
  readonly #reader: TarReader;
  readonly #terms: ImportTerms;
  readonly #tree: ArchiveTree;
  readonly #writer: ContentWriter;
  readonly #leftOut: { path: string; reason: number | 'xattrs' | 'no content' }[] = [];
  readonly #unread = new Set<string>();
  readonly #bare: Omit<ImportedObject, 'kind'>;
  #entries = 0;

  constructor(reader: TarReader, terms: ImportTerms) {
    this.#reader = reader;
    this.#terms = terms;
    this.#writer = new ContentWriter(terms.put);
    this.#bare = {
      ...terms.owner,
      mode: 0o755,
      mtime: BigInt(Date.now()) * 1_000_000n,
      xattrs: Buffer.alloc(0),
      lacksXattrs: false,
      size: 0,
      rdev: 0n,
      target: '',
      content: undefined,
    };
    this.#tree = new ArchiveTree({ ...this.#bare, kind: 'd' });
  }

  async take(entry: TarEntry): Promise<void> {
    this.#entries += 1;
    const sparse = sparseName(entry);
    const name = sparse ? pathOfBytes(sparse) : entry.name;
    const parts = partsOf(name, 'a name');
    const kind = KINDS[entry.type];
    if (entry.type === '1') return this.#tree.link(parts, partsOf(entry.link, 'a hard link'));
    const realSize = sparseSizeOf(entry);
    if (!kind) throw refusedArchive(`an entry has the unknown type ${entry.type}: ${shownPath(name)}`);
    const attributes = this.#allowed(parts, attributesOf(entry));
    if (kind === 'd' && parts.length === 0) this.#addUnread(entry);
    if (kind === 'f') return await this.#takeFile(parts, attributes, entry, realSize);
    const isDevice = kind === 'c' || kind === 'b';
    if (isDevice && !this.#terms.takesPrivileges) {
      this.#leftOut.push({ path: keyOf(parts), reason: constants.errno.EPERM });
      return;
    }
    const target = kind === 'l' ? targetOf(entry) : '';
    const rdev = isDevice ? deviceNumber(entry) : 0n;
    this.#tree.add(parts, { ...attributes, kind, size: target.length, rdev, target, content: undefined });
  }

  finish(): Captured {
    for (const key of this.#unread) {
      const parts = partsOf(pathOfLatin1(key), 'a name');
      this.#tree.add(parts, { ...this.#bare, kind: 'f' });
      this.#leftOut.push({ path: keyOf(parts), reason: 'no content' });
    }
    this.#terms.signal?.throwIfAborted();
    return { tree: this.#tree.finish(), entries: this.#entries, leftOut: this.#leftOut, tooLong: 0 };
  }

  async #takeFile(
    parts: Parts,
    attributes: ImportedAttributes,
    entry: TarEntry,
    realSize: number | undefined,
  ): Promise<void> {
    const pieces = entry.size <= SMALL_BYTES ? once(await this.#reader.wholeBody()) : this.#reader.body();
    const body = new BodyBytes(pieces, entry.size);
    const map = realSize === undefined ? undefined : await takeSparseMap(body, realSize);
    const content = await this.#writer.write(body, map);
    const size = map?.size ?? entry.size;
    this.#tree.add(parts, { ...attributes, kind: 'f', size, rdev: 0n, target: '', content });
  }

  #allowed(parts: Parts, attributes: ImportedAttributes): ImportedAttributes {
    const path = keyOf(parts);
    if (attributes.lacksXattrs) this.#leftOut.push({ path, reason: 'xattrs' });
    if (this.#terms.takesPrivileges) return attributes;
    const allowed = withoutPrivileges(attributes);
    const isSame = allowed.mode === attributes.mode && allowed.xattrs.length === attributes.xattrs.length;
    if (!isSame) this.#leftOut.push({ path, reason: constants.errno.EPERM });
    return allowed;
  }

  #addUnread({ records }: TarEntry): void {
    const names = records.get(UNREAD_RECORD)?.toString('latin1') ?? '';
    for (const name of names.split('\0')) if (name !== '') this.#unread.add(name);
  }
}

function targetOf({ link, name }: TarEntry): string {
  const target = latin1Of(link);
  if (target.length === 0 || target.length > TARGET_BYTES || target.includes('\0')) {
    throw refusedArchive(`a link has no target that the system takes: ${shownPath(name)}`);
  }
  return target;
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** Each read lets the thread serve other calls. */
async function* chunksOf(file: number, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    signal?.throwIfAborted();
    const { bytesRead, buffer } = await promisify(read)(
      file,
      Buffer.allocUnsafe(CHUNK_BYTES),
      0,
      CHUNK_BYTES,
      position,
    );
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    position += bytesRead;
  }
}

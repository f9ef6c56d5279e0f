import { isUtf8 } from 'node:buffer';
import { readSync } from 'node:fs';
import { constants } from 'node:os';
import type { InodeId, TreeContent } from '../../../core/process/tree/tree-frames.ts';
import { isTurnSpent, yieldToEventLoop } from '../../../core/turns.ts';
import type { ChangeFound, TextBounds, TextOmission } from '../engine/engine-protocol.ts';
import { filePartsOf } from '../engine/file-parts.ts';
import type { TreeSession } from '../engine/tree-session.ts';
import type { BlobStore } from '../store/blob-store.ts';
import type { TreeObject } from '../tree/compare.ts';
import { type Entry, entryAt } from '../tree/entry.ts';
import type { FoundChange } from './changes.ts';
import { namesOfFiles } from './file-names.ts';
import { unifiedText } from './unified-text.ts';

/** Bytes of a file that is compared as text. */
const FILE_BYTES = 1024 ** 2;
/** Changes whose files are read at once. */
const AT_ONCE = 64;

/** A directory as it is now, of which files are read. */
export interface NowReader {
  readonly session: TreeSession;
  /** Files and directories that hold credentials, as they are at the call. */
  readonly withheld: () => readonly InodeId[];
}

/** The text of a version of a file, '' if there is none. */
type Version = { readonly text: string } | { readonly omitted: TextOmission };

interface TextTerms {
  /** Undefined: both trees are of the store. */
  readonly now: NowReader | undefined;
  /** Undefined: without texts. */
  readonly texts: TextBounds | undefined;
  /** Ends it between two files. */
  readonly signal?: AbortSignal | undefined;
}

/** Changes in their order, with the texts of files. @throws DamagedBlob; TreeFailure */
export async function* changesWithTexts(
  found: readonly FoundChange[],
  store: BlobStore,
  { now, texts, signal }: TextTerms,
): AsyncGenerator<ChangeFound> {
  if (texts) {
    for await (const change of new ChangeTexts(store, now, texts).of(found)) {
      if (isTurnSpent()) await yieldToEventLoop();
      signal?.throwIfAborted();
      yield change;
    }
  } else for (const { change } of found) yield change;
}

/**
 * Adds to changes of files their unified text. Contents of the checkpoint are of the store; those of now are read again
 * and belong to the change only if the file is still the one that was compared.
 */
class ChangeTexts {
  readonly #store: BlobStore;
  readonly #now: NowReader | undefined;
  readonly #bounds: TextBounds;
  #textLeft: number;
  #contentsLeft: number;

  /** @param now undefined: both trees are of the store */
  constructor(store: BlobStore, now: NowReader | undefined, bounds: TextBounds) {
    this.#store = store;
    this.#now = now;
    this.#bounds = bounds;
    this.#textLeft = bounds.ofAll;
    this.#contentsLeft = bounds.contents;
  }

  async *of(found: readonly FoundChange[]): AsyncGenerator<ChangeFound> {
    for (let at = 0; at < found.length; at += AT_ONCE) {
      const some = found.slice(at, at + AT_ONCE);
      const judged = some.map((one) => ({ one, omitted: this.#judge(one) }));
      const wanted = judged.filter(({ omitted }) => omitted === undefined).map(({ one }) => one);
      const fresh = this.#now ? await readNow(this.#now, wanted) : new Map<string, Version>();
      for (const { one, omitted } of judged) yield this.#withText(one, omitted, fresh.get(one.change.path));
    }
  }

  /** Why a change has no text; `none` if it is not one of the content of files. */
  #judge({
    difference: { before, after, isOfContent },
    change: { type },
  }: FoundChange): TextOmission | 'none' | undefined {
    const sides = [before, after].filter((side) => side !== undefined);
    if (!isOfContent || type === 'renamed' || sides.some(({ entry }) => entry.kind !== 'f')) return 'none';
    if (sides.some(({ entry: { size } }) => size > FILE_BYTES)) return 'too_large';
    const bytes = sides.reduce((sum, { entry: { size } }) => sum + size, 0);
    if (this.#textLeft <= 0 || bytes > this.#contentsLeft) return 'cut';
    this.#contentsLeft -= bytes;
    return undefined;
  }

  #withText(
    { change, difference }: FoundChange,
    omitted: TextOmission | 'none' | undefined,
    now?: Version,
  ): ChangeFound {
    if (omitted === 'none') return change;
    if (omitted !== undefined) return { ...change, textOmitted: omitted };
    if (this.#textLeft <= 0) return { ...change, textOmitted: 'cut' };
    const before = this.#stored(difference.before);
    const after = this.#now ? (now ?? { text: '' }) : this.#stored(difference.after);
    if ('omitted' in before) return { ...change, textOmitted: before.omitted };
    if ('omitted' in after) return { ...change, textOmitted: after.omitted };
    const names = namesOfFiles(change.path, difference);
    const bytes = Math.min(this.#bounds.ofFile, this.#textLeft) - Buffer.byteLength(names);
    const { text, isCut } = unifiedText(before.text, after.text, bytes);
    if (text === '' && isCut) return { ...change, textOmitted: 'cut' };
    const whole = text === '' ? '' : `${names}${text}`;
    this.#textLeft -= Buffer.byteLength(whole);
    return { ...change, text: whole, ...(isCut && { textOmitted: 'cut' }) };
  }

  #stored(object: TreeObject | undefined): Version {
    if (!object) return { text: '' };
    if (!object.content?.pieces) return { omitted: 'unreadable' };
    const parts = filePartsOf(object).map((part) =>
      'zeros' in part
        ? Buffer.alloc(part.zeros)
        : this.#store.get(part.hash).subarray(part.from, part.from + part.length),
    );
    return versionOf(Buffer.concat(parts));
  }
}

/** The files of changes as they are now, by their paths. */
async function readNow({ session, withheld }: NowReader, found: readonly FoundChange[]): Promise<Map<string, Version>> {
  const versions = new Map<string, Version>();
  const there = found.filter(({ difference }) => difference.after !== undefined);
  const paths = there.map(({ change }) => change.path);
  await session.helper.read(paths, (index, content) => {
    const one = there[index];
    const entry = one?.difference.after?.entry;
    if (one && entry) versions.set(one.change.path, readVersion(session, entry, content, withheld));
  });
  return versions;
}

function readVersion(
  session: TreeSession,
  walked: Entry,
  content: TreeContent,
  withheld: NowReader['withheld'],
): Version {
  const isGone = content.errno === constants.errno.ENOENT || content.errno === constants.errno.ENOTDIR;
  if (content.errno !== 0) return { omitted: isGone ? 'changed' : 'unreadable' };
  const read = entryAt(content.entry, 0);
  const isSame = read.device === walked.device && read.inode === walked.inode && read.ctime === walked.ctime;
  if (!isSame || content.isChanged) return { omitted: 'changed' };
  if (withheld().some(({ device, inode }) => device === read.device && inode === read.inode))
    return { omitted: 'unreadable' };
  const bytes = Buffer.alloc(read.size);
  const stored = bytesAt(session.incoming.descriptor, content.start, content.length);
  let at = 0;
  for (const { offset, length } of content.extents) at += stored.copy(bytes, offset, at, at + length);
  return versionOf(bytes);
}

function bytesAt(fd: number, start: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let done = 0; done < length; ) {
    const count = readSync(fd, bytes, done, length - done, start + done);
    if (count === 0) throw new RangeError('a content beyond the end of the file of contents');
    done += count;
  }
  return bytes;
}

/** Text is UTF-8 without NUL. */
function versionOf(bytes: Buffer): Version {
  if (bytes.includes(0) || !isUtf8(bytes)) return { omitted: 'binary' };
  return { text: bytes.toString('utf8') };
}

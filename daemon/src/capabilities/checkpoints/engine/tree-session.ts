import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { onAbort } from '@sandbox/api/wait.ts';
import { shownPath } from '../../../core/files/file-path.ts';
import type { InodeId } from '../../../core/process/tree/tree-frames.ts';
import { TreeFailure, TreeHelper } from '../../../core/process/tree/tree-helper.ts';
import { replaceFile } from '../../../core/records/replace-file.ts';
import type { BlobStore } from '../store/blob-store.ts';
import { IncomingContents } from './contents.ts';
import type { EngineAccount, EngineTerms } from './engine-protocol.ts';

/** Entries of one checkpoint. */
const ENTRIES_MAX = 1_000_000;

interface SessionTerms {
  readonly root: Buffer;
  readonly account: EngineAccount | undefined;
  readonly temporaryName: string;
}

/** A helper that has a directory open as an account, and the file of contents that it writes. */
export class TreeSession implements AsyncDisposable {
  readonly helper: TreeHelper;
  readonly incoming: IncomingContents;
  /** The user id that it has. */
  readonly uid: number;

  private constructor(helper: TreeHelper, incoming: IncomingContents, uid: number) {
    this.helper = helper;
    this.incoming = incoming;
    this.uid = uid;
  }

  /** @throws TreeFailure; SandboxError `conflict` if another directory is there than the one that was judged */
  static async open(terms: EngineTerms, store: BlobStore, session: SessionTerms): Promise<TreeSession> {
    const incoming = new IncomingContents(terms.directory, store);
    const helper = new TreeHelper(terms.program, incoming.descriptor);
    try {
      const opened = await helper.open({
        ...session,
        withheld: withheldBy(terms),
        maxEntries: ENTRIES_MAX,
        maxStored: Math.max(0, terms.maxBytes - store.bytes),
        hashes: true,
      });
      if (!opened.path.equals(session.root)) {
        throw new SandboxError('conflict', `the directory was replaced by a link: ${shownPath(session.root)}`, {
          hint: 'repeat the call',
        });
      }
      return new TreeSession(helper, incoming, opened.uid);
    } catch (error) {
      await helper[Symbol.asyncDispose]();
      incoming[Symbol.dispose]();
      throw error;
    }
  }

  /** Ends the helper when the signal fires, until the returned object is disposed. */
  endWith(signal: AbortSignal | undefined): Disposable {
    return onAbort(signal, () => this.helper.end(new TreeFailure('left', 0, 'the caller has left')));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.helper[Symbol.asyncDispose]();
    this.incoming[Symbol.dispose]();
  }
}

/** Files with credentials, as they are now, and the directory of the daemon. */
export function withheldBy({ runtimeDirectory, credentials }: EngineTerms): InodeId[] {
  return [runtimeDirectory, ...credentials].flatMap((path) => {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stats ? [{ device: stats.dev, inode: stats.ino }] : [];
  });
}

/** The name of files that are not complete, the same for each daemon of the store: a walk removes what a kill left. */
export function temporaryNameOf(directory: string): string {
  const path = join(directory, 'name');
  if (!existsSync(path)) replaceFile(path, `.svc-restore-${randomBytes(8).toString('hex')}.part`);
  return readFileSync(path, 'utf8');
}

import type { ByteName } from '../../../core/files/byte-name.ts';
import type { UnreadCounts } from '../../../core/files/walk/unread.ts';
import type { GrepMatch, GrepRequest, NamesRequest, Stop } from '../requests.ts';

/** A search in the form for its worker thread: paths are byte strings. */
export type WorkerTask =
  | {
      readonly kind: 'grep';
      readonly root: ByteName;
      readonly isFile: boolean;
      /** Files that are not searched. */
      readonly withheld: readonly string[];
      readonly request: Omit<GrepRequest, 'path'>;
    }
  | { readonly kind: 'names'; readonly root: ByteName; readonly request: Omit<NamesRequest, 'path'> };

export type WorkerMatch = Omit<GrepMatch, 'file'>;

/** What a worker says: pieces in their order, then how it ended. */
export type WorkerMessage =
  | { readonly kind: 'matches'; readonly file: ByteName; readonly matches: readonly WorkerMatch[] }
  | { readonly kind: 'names'; readonly names: readonly { readonly name: ByteName; readonly isDirectory: boolean }[] }
  | {
      readonly kind: 'done';
      readonly filesSearched: number;
      readonly stop: Stop | undefined;
      readonly unread: UnreadCounts | undefined;
    }
  | { readonly kind: 'refused'; readonly reason: string };

import type { BigIntStats } from 'node:fs';
import { futimesSync } from 'node:fs';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';

/** Longest difference of times that counts as one tick of the file system's clock, in nanoseconds. */
const TICK_NS = 1_000_000_000n;
const STEP_NS = 1_000_000n;

/** Conditions on the existing file for a write. */
export interface Precondition {
  /** Entity tags, or `*` for any file. */
  readonly ifMatch?: string | undefined;
  /** `*`: the file must not exist. */
  readonly ifNoneMatch?: string | undefined;
  /** 409 for a field of the body, 412 for a header. */
  readonly failsAs: 'conflict' | 'precondition';
}

/** A strong validator (RFC 9110 §8.8.3): it changes with every change of the content. */
export function etagOf({ ino, size, mtimeNs }: Pick<BigIntStats, 'ino' | 'size' | 'mtimeNs'>): string {
  return `"${ino.toString(36)}-${size.toString(36)}-${mtimeNs.toString(36)}"`;
}

/** Whether the list of a header or field contains the tag, with or without quotes. */
function listsTag(list: string, etag: string | undefined): boolean {
  if (etag === undefined) return false;
  const tags = list.split(',').map((tag) => tag.trim());
  return tags.some((tag) => tag === '*' || tag === etag || `"${tag}"` === etag);
}

/** @throws SandboxError of the kind `failsAs`, with the present tag of the file in its data */
export function requirePrecondition(
  precondition: Precondition | undefined,
  etag: string | undefined,
  path: string,
): void {
  if (!precondition) return;
  const { ifMatch, ifNoneMatch, failsAs } = precondition;
  const isMet =
    (ifMatch === undefined || listsTag(ifMatch, etag)) && (ifNoneMatch === undefined || !listsTag(ifNoneMatch, etag));
  if (isMet) return;
  const now = etag === undefined ? 'it does not exist' : 'it has changed';
  throw new SandboxError(failsAs, `the file is not the one that was expected, ${now}: ${path}`, {
    data: { path, etag: etag ?? null },
    hint: 'read it again and repeat the write with its etag',
  });
}

/**
 * Gives the file under `descriptor` a later time than that of the file it replaces: the file system's clock
 * ticks every few milliseconds, and two writes within one would give two contents one tag.
 */
export function outdate(
  descriptor: number,
  before: Pick<BigIntStats, 'mtimeNs'>,
  { mtimeNs, atimeNs }: Pick<BigIntStats, 'mtimeNs' | 'atimeNs'>,
): boolean {
  if (mtimeNs > before.mtimeNs || before.mtimeNs - mtimeNs > TICK_NS) return false;
  futimesSync(descriptor, Number(atimeNs) / 1e9, Number(before.mtimeNs + STEP_NS) / 1e9);
  return true;
}

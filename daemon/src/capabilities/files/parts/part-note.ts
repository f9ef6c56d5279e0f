import { bytesOfPath, type FilePath, joinPath, nameOf, pathOfBytes, shownPath } from '../../../core/files/file-path.ts';
import { partIdOf, partName } from '../../../core/files/part-name.ts';
import { readLines } from '../../../core/records/line-journal.ts';

const ID = /^[0-9a-f]{24}$/;
/** Begins what a line says about a part that is kept, before its inode; no base64 text. */
const KEPT = '*';

export interface KeptPart {
  /** Undefined until it was created. */
  readonly inode: number | undefined;
  /** When the last call that wrote it began or ended, by the age clock; undefined in notes of earlier versions. */
  readonly tick: number | undefined;
}

/** One part that a journal knows. */
export interface PartNote {
  readonly path: FilePath;
  /** Where an upload can continue it. */
  readonly kept?: KeptPart;
  /** Where it was moved aside: the name that its content had. */
  readonly origin?: FilePath;
}

/** @param id hexadecimal, of 24 characters */
export function partPath(directory: FilePath, id: string): FilePath {
  return joinPath(directory, partName(id));
}

/** The notes in a journal's file; lines that name no part are skipped. @throws as `readFileSync` */
export function readNotes(file: string): PartNote[] {
  return readLines(file, 'latin1').flatMap(noteOf);
}

export function lineOf({ path, kept, origin }: PartNote): string {
  if (kept) return `${encoded(path)} ${KEPT}${kept.inode ?? ''} ${kept.tick ?? ''}`;
  return origin === undefined ? encoded(path) : `${encoded(path)} ${encoded(origin)}`;
}

function noteOf(line: string): PartNote[] {
  const [path = '', more, tick] = line.split(' ');
  const note = { path: decoded(path), ...(more !== undefined && detailsOf(more, tick)) };
  return isPart(note.path) ? [note] : [];
}

function detailsOf(text: string, tick = ''): Pick<PartNote, 'kept' | 'origin'> {
  if (!text.startsWith(KEPT)) return { origin: decoded(text) };
  return { kept: { inode: numberOf(text.slice(KEPT.length)), tick: numberOf(tick) } };
}

function numberOf(text: string): number | undefined {
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

function isPart(path: FilePath): boolean {
  return shownPath(path).startsWith('/') && ID.test(partIdOf(shownPath(nameOf(path))) ?? '');
}

function encoded(path: FilePath): string {
  return bytesOfPath(path).toString('base64');
}

function decoded(text: string): FilePath {
  return pathOfBytes(Buffer.from(text, 'base64'));
}

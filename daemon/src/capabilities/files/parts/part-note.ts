import { readFileSync } from 'node:fs';
import { bytesOfPath, type FilePath, joinPath, nameOf, pathOfBytes, shownPath } from '../../../core/files/file-path.ts';
import { partIdOf, partName } from '../../../core/files/part-name.ts';

const ID = /^[0-9a-f]{24}$/;
/** Stands in a line for a part that is kept; no base64 text. */
const KEPT = '*';

/** One part that a journal knows. */
export interface PartNote {
  readonly path: FilePath;
  /** `kept`: an upload can continue it; otherwise the name that its content had, where it was moved aside. */
  readonly origin: 'kept' | { readonly name: FilePath } | undefined;
}

/** @param id hexadecimal, of 24 characters */
export function partPath(directory: FilePath, id: string): FilePath {
  return joinPath(directory, partName(id));
}

/** The notes in a journal's file; lines that name no part are skipped. @throws as `readFileSync` */
export function readNotes(file: string): PartNote[] {
  return readFileSync(file, 'latin1').split('\n').flatMap(noteOf);
}

export function lineOf({ path, origin }: PartNote): string {
  if (origin === undefined) return `${encoded(path)}\n`;
  return `${encoded(path)} ${origin === 'kept' ? KEPT : encoded(origin.name)}\n`;
}

function noteOf(line: string): PartNote[] {
  const [path = '', origin] = line.split(' ');
  const note = { path: decoded(path), origin: origin === undefined ? undefined : originOf(origin) };
  return isPart(note.path) ? [note] : [];
}

function originOf(text: string): PartNote['origin'] {
  return text === KEPT ? 'kept' : { name: decoded(text) };
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

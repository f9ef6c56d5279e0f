import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { errnoName } from '../errno-name.ts';

export const OUTPUT_STREAMS = ['stdout', 'stderr'] as const;
export type OutputStream = (typeof OUTPUT_STREAMS)[number];
/** A stream that has a byte-log of its own. */
export type LogStream = OutputStream | 'pty';

/** One file of `docs/output-log.md`: `<id>.<kind>.<number>`. */
export interface OutputFile {
  readonly id: string;
  readonly kind: LogStream | 'order';
  /** The offset of a segment's first byte, or the number of an order file. */
  readonly number: number;
}

const NAME = /^(?<id>.+)\.(?<kind>stdout|stderr|pty|order)\.(?<number>0|[1-9]\d{0,15})$/;

export function outputPath(directory: string, id: string, kind: OutputFile['kind'], number: number): string {
  return join(directory, `${id}.${kind}.${number}`);
}

/** All output files of a directory; other names are ignored. A directory that does not exist has none. */
export function listOutputFiles(directory: string): OutputFile[] {
  return fileNames(directory).flatMap((name) => {
    const { id, kind, number } = NAME.exec(name)?.groups ?? {};
    if (id === undefined || !isKind(kind) || !Number.isSafeInteger(Number(number))) return [];
    return [{ id, kind, number: Number(number) }];
  });
}

function fileNames(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (errnoName(error) === 'ENOENT') return [];
    throw error;
  }
}

function isKind(kind: string | undefined): kind is OutputFile['kind'] {
  return kind === 'stdout' || kind === 'stderr' || kind === 'pty' || kind === 'order';
}

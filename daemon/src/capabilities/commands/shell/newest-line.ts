import type { OutputLog } from '../../../core/output/output-log.ts';

/** Bytes of the end of a stream in which the line is looked for. */
const LOOK_BYTES = 512;
/** Characters of the line. */
const LINE_CHARACTERS = 200;

/** The newest line that is not blank, of standard output, else of standard error; empty if none exists. */
export async function newestLine({ stdout, stderr }: OutputLog): Promise<string> {
  for (const log of [stdout, stderr]) {
    const from = Math.max(log.first, log.end - LOOK_BYTES);
    const { bytes } = await log.read(from, log.end - from);
    const line = bytes
      .toString('utf8')
      .split(/[\r\n]/)
      .findLast((text) => text.trim() !== '');
    if (line !== undefined) return line.trim().slice(0, LINE_CHARACTERS);
  }
  return '';
}

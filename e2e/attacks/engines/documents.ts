import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type EngineAttack, json } from './engine-attack.ts';
import { OFFICE } from './office.ts';
import { type HostileDocument, PDFS } from './pdfs.ts';

const HUGE = 2_147_483_647;

/** Size of a picture, in a header of its format. */
const uint32 = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, 4 * at);
  return bytes;
};
const PNG = Buffer.concat([
  Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'),
  uint32(HUGE, HUGE),
  Buffer.alloc(9, 8),
]);
const GIF = Buffer.from('GIF89a\xff\xff\xff\xff\xf7\0\0', 'latin1');

/** No engine of the service decodes pictures of files: they are bytes. */
const PICTURES: readonly HostileDocument[] = [
  ['a PNG of 2^31 by 2^31 pixels', 'f.png', () => PNG],
  ['a GIF of 65,535 by 65,535 pixels', 'f.gif', () => GIF],
  ['a PNG that is called a workbook', 'f.xlsx', () => PNG],
];

const attacks = (engine: string, documents: readonly HostileDocument[]): readonly EngineAttack[] =>
  documents.map(([name, file, bytes, more]) => ({
    engine,
    name,
    statuses: [200, 400, 413],
    ...more,
    run: async ({ call, directory }) => {
      const path = join(directory, file);
      await writeFile(path, bytes());
      return call('/v1/file/str_replace_editor', json({ command: 'view', path }));
    },
  }));

export const DOCUMENTS: readonly EngineAttack[] = [
  ...attacks('unpdf', PDFS),
  ...attacks('read-excel-file, saxen, fflate', OFFICE),
  ...attacks('none (pictures)', PICTURES),
];

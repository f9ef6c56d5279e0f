import { zipSync } from 'fflate';
import readExcelFile, { type CellValue } from 'read-excel-file/universal';
import {
  boundsOf,
  DocumentFault,
  type DocumentSection,
  type DocumentTask,
  type DocumentText,
} from './document-task.ts';
import { unzipXml } from './unzip-xml.ts';

/** Cells that a sheet may span: the reader makes all of them, also the empty ones before its last row and column. */
const SPAN_MAX = 4 * 1024 ** 2;
const SHEET = /^xl\/worksheets\/.*\.xml$/i;
const REFERENCE = / r=["']([A-Za-z]*)(\d+)["']/g;

export async function excelText({ bytes, range, sheet }: DocumentTask): Promise<DocumentText> {
  // Packed again without compression, so that the reader unpacks nothing that is larger than it looks.
  const parts = unzipXml(bytes);
  for (const [name, part] of Object.entries(parts)) if (SHEET.test(name)) requireSmallSpan(part);
  const plain = zipSync(parts, { level: 0 });
  const workbook = await readExcelFile(plain.slice().buffer);
  const sheets = workbook.map(({ sheet: name }) => name);
  const chosen = sheet === undefined ? workbook : workbook.filter(({ sheet: name }) => name === sheet);
  if (chosen.length === 0) throw new DocumentFault(`sheet ${sheet} not found; the sheets are ${sheets.join(', ')}`);
  const sections = chosen.map(({ sheet: name, data }) => sectionOf(name, data, range));
  return { sections, count: sheets.length, sheets };
}

/** @throws DocumentFault if the references of the cells span a table that is mostly empty and too large to make */
function requireSmallSpan(part: Uint8Array): void {
  let [rows, columns] = [0, 0];
  for (const [, letters = '', digits = ''] of Buffer.from(part).toString('latin1').matchAll(REFERENCE)) {
    rows = Math.max(rows, Number(digits));
    const first = letters.slice(0, 20).toUpperCase();
    const column = [...first].reduce((sum, letter) => 26 * sum + letter.charCodeAt(0) - 64, 0);
    columns = Math.max(columns, column);
  }
  if (rows * columns <= SPAN_MAX) return;
  throw new DocumentFault(`a sheet spans ${rows} rows and ${columns} columns, over ${SPAN_MAX} cells`);
}

function sectionOf(
  name: string,
  rows: readonly (readonly (CellValue | null)[])[],
  range: DocumentTask['range'],
): DocumentSection {
  if (rows.length === 0) return { title: `Sheet ${name} (empty)`, text: '' };
  const { first, last } = boundsOf(range, rows.length, `rows in the sheet ${name}`);
  const lines = rows.slice(first - 1, last).map((row, at) => [first + at, ...row.map(cellText)].join('\t'));
  return { title: `Sheet ${name} (rows ${first}-${last} of ${rows.length})`, text: lines.join('\n') };
}

function cellText(value: CellValue | null): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString().replace('T00:00:00.000Z', '');
  return String(value).replaceAll(/[\t\r\n]+/g, ' ');
}

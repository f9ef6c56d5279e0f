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

export async function excelText({ bytes, range, sheet }: DocumentTask): Promise<DocumentText> {
  // Packed anew without compression, so that the reader unpacks nothing that is larger than it looks.
  const plain = zipSync(unzipXml(bytes), { level: 0 });
  const workbook = await readExcelFile(plain.slice().buffer);
  const sheets = workbook.map(({ sheet: name }) => name);
  const chosen = sheet === undefined ? workbook : workbook.filter(({ sheet: name }) => name === sheet);
  if (chosen.length === 0) throw new DocumentFault(`there is no sheet ${sheet}; its sheets are ${sheets.join(', ')}`);
  const sections = chosen.map(({ sheet: name, data }) => sectionOf(name, data, range));
  return { sections, count: sheets.length, sheets };
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

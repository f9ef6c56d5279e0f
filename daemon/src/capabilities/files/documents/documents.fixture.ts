import { deflateSync } from 'node:zlib';
import { strToU8, zipSync } from 'fflate';

/** The level of compression: what is packed may be hundreds of MiB. */
const FAST = 1;

/** A PDF with a page for each content stream (ISO 32000-1 §7.5). */
export function pdfOf(contents: readonly Buffer[]): Buffer {
  const objects: Buffer[] = [];
  const font = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';
  const kids = contents.map((_, at) => `${3 + 2 * at} 0 R`).join(' ');
  objects.push(Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'));
  objects.push(Buffer.from(`<< /Type /Pages /Kids [${kids}] /Count ${contents.length} >>`));
  for (const [at, content] of contents.entries()) {
    const resources = `<< /Font << /F1 ${font} >> >>`;
    const page = `/Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents ${4 + 2 * at} 0 R /Resources ${resources}`;
    const packed = deflateSync(content, { level: FAST });
    const head = Buffer.from(`<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n`);
    objects.push(Buffer.from(`<< ${page} >>`), Buffer.concat([head, packed, Buffer.from('\nendstream')]));
  }
  let length = 0;
  const offsets: number[] = [];
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n')];
  for (const [at, body] of objects.entries()) {
    length = parts.reduce((sum, part) => sum + part.length, 0);
    offsets.push(length);
    parts.push(Buffer.from(`${at + 1} 0 obj\n`), body, Buffer.from('\nendobj\n'));
  }
  const table = parts.reduce((sum, part) => sum + part.length, 0);
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  const head = `xref\n0 ${size}\n0000000000 65535 f \n${entries}`;
  parts.push(Buffer.from(`${head}trailer << /Size ${size} /Root 1 0 R >>\nstartxref\n${table}\n%%EOF`));
  return Buffer.concat(parts);
}

/** A content stream that shows lines of text. */
export function pageOf(...lines: readonly string[]): Buffer {
  const shown = lines.map((line) => `(${line}) Tj 0 -20 Td`).join(' ');
  return Buffer.from(`BT /F1 12 Tf 20 200 Td ${shown} ET`);
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships';

/** A workbook with the rows of each sheet by its name (ECMA-376 part 1, §18). */
export function workbookOf(sheets: Readonly<Record<string, readonly (readonly (string | number)[])[]>>): Buffer {
  const names = Object.keys(sheets);
  const relation = (at: number) =>
    `<Relationship Id="rId${at + 1}" Type="${RELATIONS}/worksheet" Target="worksheets/sheet${at + 1}.xml"/>`;
  const files: Record<string, string> = {
    'xl/workbook.xml': `${XML}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets>${names
      .map((name, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`)
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${XML}<Relationships xmlns="${PACKAGE}">${names.map((_, at) => relation(at)).join('')}</Relationships>`,
  };
  for (const [at, name] of names.entries()) files[`xl/worksheets/sheet${at + 1}.xml`] = sheetXml(sheets[name] ?? []);
  return packed(files);
}

function sheetXml(rows: readonly (readonly (string | number)[])[]): string {
  const cell = (value: string | number, row: number, column: number): string => {
    const reference = `${String.fromCharCode(65 + column)}${row + 1}`;
    if (typeof value === 'number') return `<c r="${reference}"><v>${value}</v></c>`;
    return `<c r="${reference}" t="inlineStr"><is><t>${value}</t></is></c>`;
  };
  const lines = rows.map(
    (row, at) => `<row r="${at + 1}">${row.map((value, column) => cell(value, at, column)).join('')}</row>`,
  );
  return `${XML}<worksheet xmlns="${MAIN}"><sheetData>${lines.join('')}</sheetData></worksheet>`;
}

/** A presentation with the paragraphs of each slide; the parts are numbered against their order. */
export function slidesOf(slides: readonly (readonly string[])[]): Buffer {
  const part = (at: number) => slides.length - at;
  const ids = slides.map((_, at) => `<p:sldId id="${256 + at}" r:id="rId${at + 1}"/>`).join('');
  const relations = slides.map(
    (_, at) => `<Relationship Id="rId${at + 1}" Type="t" Target="slides/slide${part(at)}.xml"/>`,
  );
  const files: Record<string, string> = {
    'ppt/presentation.xml': `${XML}<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst>${ids}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': `${XML}<Relationships>${relations.join('')}</Relationships>`,
  };
  for (const [at, paragraphs] of slides.entries()) {
    const text = paragraphs.map((paragraph) => `<a:p><a:r><a:t>${paragraph}</a:t></a:r></a:p>`).join('');
    files[`ppt/slides/slide${part(at)}.xml`] =
      `${XML}<p:sld xmlns:p="p" xmlns:a="a"><p:txBody>${text}</p:txBody></p:sld>`;
  }
  return packed(files);
}

/** An archive of parts as text. */
export function packed(files: Readonly<Record<string, string>>): Buffer {
  const parts = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)]));
  return Buffer.from(zipSync(parts, { level: FAST }));
}

import { packed, workbookOf } from '../../../daemon/src/capabilities/files/documents/documents.fixture.ts';
import type { HostileDocument } from './pdfs.ts';

const MIB = 1024 ** 2;
const XML = '<?xml version="1.0"?>';
const LAUGHS = `<!DOCTYPE a [<!ENTITY l0 "ha">${Array.from(
  { length: 30 },
  (_, at) => `<!ENTITY l${at + 1} "&l${at};&l${at};">`,
).join('')}]>`;
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships';
const BOOK = {
  'xl/workbook.xml': `${XML}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `${XML}<Relationships xmlns="${PACKAGE}"><Relationship Id="rId1" Type="${RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
};

const sheetOf = (xml: string): Buffer => packed({ ...BOOK, 'xl/worksheets/sheet1.xml': `${XML}${xml}` });

const cells = (...references: readonly string[]): string =>
  `<worksheet xmlns="${MAIN}"><sheetData>${references.map((r) => `<row><c r="${r}"><v>1</v></c></row>`).join('')}</sheetData></worksheet>`;

function slidesOf(relations: string, list: string, slide: string): Buffer {
  return packed({
    'ppt/presentation.xml': `${XML}<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst>${list}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': `${XML}<Relationships>${relations}</Relationships>`,
    'ppt/slides/slide1.xml': `${XML}${slide}`,
  });
}

const ONE = '<Relationship Id="rId1" Type="t" Target="slides/slide1.xml"/>';
const SLIDE = '<p:sldId id="1" r:id="rId1"/>';

/** An archive whose directory says less than its entry unpacks to, and one that is cut. */
function forged(): Buffer {
  const bytes = workbookOf({ S: [['x'.repeat(10 * MIB)]] });
  for (let at = bytes.indexOf('PK\x01\x02'); at >= 0; at = bytes.indexOf('PK\x01\x02', at + 4))
    bytes.writeUInt32LE(1, at + 24);
  return bytes;
}

/** A directory of 65,535 entries that are one and the same part. */
function overlapping(): Buffer {
  const bytes = workbookOf({ S: [['x']] });
  const [directory, end] = [bytes.indexOf('PK\x01\x02'), bytes.lastIndexOf('PK\x05\x06')];
  const entry = bytes.subarray(directory, bytes.indexOf('PK\x01\x02', directory + 4));
  const tail = Buffer.from(bytes.subarray(end));
  tail.writeUInt16LE(65_535, 8);
  tail.writeUInt16LE(65_535, 10);
  return Buffer.concat([bytes.subarray(0, directory), ...Array<Buffer>(65_535).fill(entry), tail]);
}

/** Workbooks and presentations (ECMA-376): archives of XML. */
export const OFFICE: readonly HostileDocument[] = [
  ['an archive that is cut', 'f.xlsx', () => workbookOf({ S: [['x']] }).subarray(0, 200)],
  ['an archive whose sizes are wrong', 'f.xlsx', forged],
  ['an archive of 65,535 entries of one part', 'f.xlsx', overlapping, { isLong: true }],
  ['a sheet of 256 MiB in 1 MiB', 'f.xlsx', () => sheetOf(' '.repeat(256 * MIB)), { isLong: true }],
  ['a cell in row 2^31', 'f.xlsx', () => sheetOf(cells('A2147483647'))],
  ['a cell in the last column of the last row', 'f.xlsx', () => sheetOf(cells('A1', 'XFD1048576'))],
  ['a cell in column ZZZZZZZZ', 'f.xlsx', () => sheetOf(cells('A1', 'ZZZZZZZZ1'))],
  [
    'a sheet that says that it has 2^31 rows',
    'f.xlsx',
    () => sheetOf('<worksheet><dimension ref="A1:XFD2147483647"/><sheetData/></worksheet>'),
  ],
  ['a sheet of 100,000 nested elements', 'f.xlsx', () => sheetOf('<a>'.repeat(100_000) + '</a>'.repeat(100_000))],
  ['entities that expand to 2^30 laughs', 'f.xlsx', () => sheetOf(`${LAUGHS}<worksheet>&l30;</worksheet>`)],
  [
    'a million shared strings',
    'f.xlsx',
    () =>
      packed({
        ...BOOK,
        'xl/worksheets/sheet1.xml': cells('A1'),
        'xl/sharedStrings.xml': `${XML}<sst>${'<si><t>x</t></si>'.repeat(1e6)}</sst>`,
      }),
    { isLong: true },
  ],
  ['a slide of 100,000 nested elements', 'f.pptx', () => slidesOf(ONE, SLIDE, '<a>'.repeat(100_000))],
  ['a slide of entities', 'f.pptx', () => slidesOf(ONE, SLIDE, `${LAUGHS}<a:t>&l30;</a:t>`)],
  [
    'a presentation of 100,000 slides that are one',
    'f.pptx',
    () => slidesOf(ONE, SLIDE.repeat(100_000), '<a/>'),
    { isLong: true },
  ],
  ['a slide outside of the archive', 'f.pptx', () => slidesOf(ONE.replace('slides', '../../../etc'), SLIDE, '<a/>')],
  ['a slide with an attribute that never ends', 'f.pptx', () => slidesOf(ONE, SLIDE, `<a b="${'<'.repeat(1e6)}`)],
];

import { deflateSync } from 'node:zlib';
import { pageOf, pdfOf } from '../../../daemon/src/capabilities/files/documents/documents.fixture.ts';

const MIB = 1024 ** 2;
const HUGE = 2_147_483_647;

/** A PDF of numbered objects, with a table of their places (ISO 32000-1 §7.5.4). */
function pdfOfObjects(objects: readonly string[], { trailer = '', prev = false } = {}): Buffer {
  const head = '%PDF-1.7\n';
  let text = head;
  const offsets: number[] = [];
  for (const [at, body] of objects.entries()) {
    offsets.push(text.length);
    text += `${at + 1} 0 obj\n${body}\nendobj\n`;
  }
  const table = text.length;
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  text += `xref\n0 ${size}\n0000000000 65535 f \n${entries}trailer << /Size ${size} /Root 1 0 R ${trailer}`;
  text += `${prev ? `/Prev ${table}` : ''} >>\nstartxref\n${table}\n%%EOF`;
  return Buffer.from(text, 'latin1');
}

const CATALOG = '<< /Type /Catalog /Pages 2 0 R >>';
const PAGES = '<< /Type /Pages /Kids [3 0 R] /Count 1 >>';
const page = (more: string): string => `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] ${more} >>`;
const streamOf = (bytes: Buffer, filters: string): string =>
  `<< /Length ${bytes.length} /Filter ${filters} >>\nstream\n${bytes.toString('latin1')}\nendstream`;

function deflatedTimes(times: number): string {
  let bytes = Buffer.from('BT (x) Tj ET');
  for (let n = 0; n < times; n += 1) bytes = deflateSync(bytes);
  return streamOf(bytes, `[${'/FlateDecode '.repeat(times)}]`);
}

/** A font whose map to Unicode has one range of all codes. */
function rangeOfAllCodes(): Buffer {
  const map = `begincmap 1 beginbfrange <00000000> <7fffffff> <0000> endbfrange endcmap`;
  const font = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>';
  return pdfOfObjects([
    CATALOG,
    PAGES,
    page('/Contents 5 0 R /Resources << /Font << /F1 4 0 R >> >>'),
    font,
    `<< /Length 30 >>\nstream\nBT /F1 9 Tf 0 0 Td (x) Tj ET  \nendstream`,
    `<< /Length ${map.length} >>\nstream\n${map}\nendstream`,
  ]);
}

export type HostileDocument = readonly [name: string, file: string, bytes: () => Buffer, more?: { isLong?: boolean }];

export const PDFS: readonly HostileDocument[] = [
  ['a PDF of random bytes', 'f.pdf', () => Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(MIB, 'obj<<[(')])],
  [
    'a PDF whose pages are their own children',
    'f.pdf',
    () => pdfOfObjects([CATALOG, `<< /Type /Pages /Kids [2 0 R 2 0 R] /Count ${HUGE} >>`]),
  ],
  [
    'a PDF that has two billion pages',
    'f.pdf',
    () => pdfOfObjects([CATALOG, `<< /Type /Pages /Kids [3 0 R] /Count ${HUGE} >>`, page('')]),
    { isLong: true },
  ],
  ['a PDF whose table refers to itself', 'f.pdf', () => pdfOfObjects([CATALOG, PAGES, page('')], { prev: true })],
  [
    'a PDF whose objects are references to each other',
    'f.pdf',
    () => pdfOfObjects(['2 0 R', '1 0 R', '3 0 R'], { trailer: '/Info 3 0 R' }),
  ],
  [
    'a PDF with 100,000 nested arrays',
    'f.pdf',
    () => pdfOfObjects([CATALOG, PAGES, page(`/A ${'['.repeat(100_000)}${']'.repeat(100_000)}`)]),
  ],
  [
    'a PDF with 100,000 nested dictionaries in its catalog',
    'f.pdf',
    () => pdfOfObjects(['<</A '.repeat(100_000) + '>>'.repeat(100_000), PAGES]),
  ],
  [
    'a PDF with a stream behind 500 filters',
    'f.pdf',
    () => pdfOfObjects([CATALOG, PAGES, page('/Contents 4 0 R'), deflatedTimes(500)]),
  ],
  [
    'a form that draws itself',
    'f.pdf',
    () =>
      pdfOfObjects([
        CATALOG,
        PAGES,
        page('/Contents 5 0 R /Resources << /XObject << /X 4 0 R >> >>'),
        '<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 4 0 R >> >> /Length 11 >>\nstream\n/X Do /X Do\nendstream',
        '<< /Length 5 >>\nstream\n/X Do\nendstream',
      ]),
  ],
  [
    'an image of 2^31 by 2^31 pixels',
    'f.pdf',
    () =>
      pdfOfObjects([
        CATALOG,
        PAGES,
        page('/Contents 5 0 R /Resources << /XObject << /X 4 0 R >> >>'),
        `<< /Type /XObject /Subtype /Image /Width ${HUGE} /Height ${HUGE} /BitsPerComponent 8 /ColorSpace /DeviceRGB /Length 1 >>\nstream\nx\nendstream`,
        '<< /Length 5 >>\nstream\n/X Do\nendstream',
      ]),
  ],
  ['a font whose map has two billion codes', 'f.pdf', rangeOfAllCodes, { isLong: true }],
  ['a page of 512 MiB of blanks', 'f.pdf', () => pdfOf([Buffer.alloc(512 * MIB, ' ')]), { isLong: true }],
  ['a page of 9 MiB of text', 'f.pdf', () => pdfOf([pageOf('x'.repeat(9 * MIB))]), { isLong: true }],
];

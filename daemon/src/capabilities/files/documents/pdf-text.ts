import { getDocumentProxy } from 'unpdf';
import { boundsOf, type DocumentSection, type DocumentTask, type DocumentText } from './document-task.ts';

export async function pdfText({ bytes, range }: DocumentTask): Promise<DocumentText> {
  const pdf = await getDocumentProxy(bytes, { verbosity: 0, useSystemFonts: false, disableFontFace: true });
  const { first, last } = boundsOf(range, pdf.numPages, 'pages');
  const sections: DocumentSection[] = [];
  for (let number = first; number <= last; number += 1) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    const pieces = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : ''));
    sections.push({ title: `Page ${number}`, text: pieces.join('') });
    page.cleanup();
  }
  return { sections, count: pdf.numPages };
}

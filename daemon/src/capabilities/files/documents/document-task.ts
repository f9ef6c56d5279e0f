export type DocumentKind = 'pdf' | 'excel' | 'slides';

/** What of a document is read: pages, slides or rows, from 1, both ends included; -1: to the last. */
export interface DocumentPart {
  readonly range?: readonly [first: number, last: number] | undefined;
  /** A sheet of a workbook; unset: all of them. */
  readonly sheet?: string | undefined;
}

export interface DocumentTask extends DocumentPart {
  readonly kind: DocumentKind;
  readonly bytes: Uint8Array;
}

/** A page, a slide or a sheet. */
export interface DocumentSection {
  readonly title: string;
  readonly text: string;
}

export interface DocumentText {
  readonly sections: readonly DocumentSection[];
  /** Pages, slides or sheets of the whole document. */
  readonly count: number;
  /** Names of all sheets of a workbook. */
  readonly sheets?: readonly string[];
}

/** What is wrong with the request or the document. */
export class DocumentFault extends Error {}

/** `refused`: the document or the part of it is not valid. */
export type DocumentMessage =
  | { readonly kind: 'done'; readonly document: DocumentText }
  | { readonly kind: 'refused'; readonly reason: string };

/** First and last of `count`, from 1. @throws DocumentFault if the range lies outside of them */
export function boundsOf(range: DocumentPart['range'], count: number, what: string): { first: number; last: number } {
  if (range === undefined) return { first: 1, last: count };
  const [first, wanted] = range;
  const last = wanted === -1 ? count : Math.min(wanted, count);
  if (first >= 1 && first <= count && last >= first) return { first, last };
  throw new DocumentFault(`the range [${first}, ${wanted}] does not fit: there are ${count} ${what}`);
}

import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { isCdpFailure } from '../cdp/cdp-failure.ts';
import type { Tab } from '../tabs/tab.ts';

/** Inches of paper, upright. */
const PAPERS = {
  a3: [11.69, 16.54],
  a4: [8.27, 11.69],
  a5: [5.83, 8.27],
  letter: [8.5, 11],
  legal: [8.5, 14],
} as const;
export const PAPER_NAMES = Object.keys(PAPERS) as readonly (keyof typeof PAPERS)[];

export interface PrintTerms {
  readonly paper: keyof typeof PAPERS;
  readonly landscape: boolean;
  readonly background: boolean;
  readonly scale: number;
  /** As `1-3, 5`; undefined: all. */
  readonly pages: string | undefined;
  /** Inches on each side. */
  readonly margin: number;
  readonly timeoutMs: number;
}

/** The page as PDF. @throws SandboxError `invalid` for pages that it does not have */
export async function printPage(tab: Tab, terms: PrintTerms): Promise<Buffer> {
  await tab.usable();
  const [paperWidth, paperHeight] = PAPERS[terms.paper];
  const { landscape, background: printBackground, scale, pages: pageRanges = '', margin, timeoutMs } = terms;
  const margins = { marginTop: margin, marginBottom: margin, marginLeft: margin, marginRight: margin };
  const request = { paperWidth, paperHeight, landscape, printBackground, scale, pageRanges, ...margins };
  try {
    const { data } = await tab.send('Page.printToPDF', request, timeoutMs);
    return Buffer.from(data, 'base64');
  } catch (error) {
    if (!isCdpFailure(error, 'protocol') || !/range|page/i.test(error.message)) throw error;
    throw new SandboxError('invalid', `is refused: ${error.message}`, { field: 'pages', hint: 'write 1-3, 5' });
  }
}

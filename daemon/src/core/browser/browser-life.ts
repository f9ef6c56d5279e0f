import { definePort } from '../ports/port.ts';

/** A download, with the names of the tool sets of 1.x. */
interface ListedDownload {
  readonly guid: string;
  readonly url: string;
  readonly suggestedFilename: string;
  /** The file in the sandbox; null before its end. */
  readonly path: string | null;
  readonly createdAt: string;
  /** From 0 to 1; null if the size is unknown. */
  readonly progress: number | null;
  readonly state: string;
}

/** The browser, for parts that reach it by another way than the routes. */
export interface BrowserLife {
  /** The newest downloads, oldest first. @throws SandboxError `unavailable` */
  listDownloads(): Promise<readonly ListedDownload[]>;

  /**
   * Waits for a browser that starts, and has it started if calls may do that.
   * @throws SandboxError `unavailable` with what to do if no browser answers
   */
  awake(): Promise<unknown>;
}

/** Filled by the browser. */
export const BROWSER_LIFE = definePort<BrowserLife>('browser-life');

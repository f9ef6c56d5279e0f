import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { Waiters } from '@sandbox/api/wait.ts';
import { textBeginning } from '@sandbox/program/text-beginning.ts';
import type { CdpSession } from '../cdp/cdp-session.ts';
import type { Protocol } from '../cdp/cdp-types.ts';
import { shortUrl } from '../network/logged-request.ts';
import { Deadline } from '../page/deadline.ts';

/** Downloads that are remembered; the oldest are forgotten. */
export const DOWNLOADS_KEPT = 200;
const NAME_MAX = 255;

type DownloadState = 'in_progress' | 'completed' | 'canceled';

export interface Download {
  readonly id: string;
  readonly url: string;
  /** The name that the server or the page suggests. */
  readonly name: string;
  readonly startedAt: Date;
  state: DownloadState;
  receivedBytes: number;
  /** Null if the server did not say. */
  totalBytes: number | null;
  /** Where the file is; null before its end, or if the browser does not say. */
  path: string | null;
}

/** The downloads of the browser, those of people and of other clients too. */
export class Downloads {
  readonly #known = new Map<string, Download>();
  readonly #changed = new Waiters();

  /** Notes the downloads of a browser that was just connected; their folder is that of the browser or of a client. */
  async follow(browser: CdpSession): Promise<void> {
    browser.on('Browser.downloadWillBegin', (event) => this.#begin(event));
    browser.on('Browser.downloadProgress', (event) => this.#goOn(event));
    // The call that enables the events of all contexts also sets the folder of one. This one has no pages: in another
    // one a client may have set a folder before.
    const { browserContextId } = await browser.send('Target.createBrowserContext', { disposeOnDetach: true });
    await browser.send('Browser.setDownloadBehavior', { behavior: 'default', eventsEnabled: true, browserContextId });
    await browser.send('Target.disposeBrowserContext', { browserContextId });
  }

  /** The newest last. */
  list(): Download[] {
    return [...this.#known.values()];
  }

  /** @throws SandboxError `not_found` */
  get(id: string): Download {
    const download = this.#known.get(id);
    if (download) return download;
    throw new SandboxError('not_found', `no download with id ${id}`, { hint: 'GET downloads lists them' });
  }

  /**
   * Waits for the end of a download; without an id for that of the newest, or of the next one that begins.
   * @throws SandboxError `not_found` for an unknown id, `unavailable` if it has not ended in time
   */
  async ended(id: string | undefined, ms: number): Promise<Download> {
    const download = await this.#atEnd(() => (id === undefined ? this.list().at(-1) : this.get(id)), ms);
    if (download && download.state !== 'in_progress') return download;
    throw tooLate(download);
  }

  /**
   * A download of which a page has told, once it has ended or `ms` are over. The browser may tell of it after the page;
   * undefined if it has not.
   */
  ofPage(id: string, ms: number): Promise<Download | undefined> {
    return this.#atEnd(() => this.#known.get(id), ms);
  }

  /** What `find` returns when it has ended, or when `ms` are over. */
  async #atEnd(find: () => Download | undefined, ms: number): Promise<Download | undefined> {
    const deadline = new Deadline(ms);
    for (;;) {
      const download = find();
      if (deadline.isOver || (download && download.state !== 'in_progress')) return download;
      await this.#changed.next({ ms: deadline.left() });
    }
  }

  #begin({ guid, url, suggestedFilename }: Protocol.Browser.DownloadWillBeginEvent): void {
    this.#known.set(guid, {
      id: guid,
      url: shortUrl(url),
      name: textBeginning(suggestedFilename, NAME_MAX),
      startedAt: new Date(),
      state: 'in_progress',
      receivedBytes: 0,
      totalBytes: null,
      path: null,
    });
    const oldest = this.#known.size > DOWNLOADS_KEPT ? this.#known.keys().next().value : undefined;
    if (oldest !== undefined) this.#known.delete(oldest);
    this.#changed.wake();
  }

  #goOn({ guid, state, receivedBytes, totalBytes, filePath }: Protocol.Browser.DownloadProgressEvent): void {
    const download = this.#known.get(guid);
    if (download === undefined) return;
    download.state = state === 'inProgress' ? 'in_progress' : state;
    download.receivedBytes = receivedBytes;
    download.totalBytes = totalBytes > 0 ? totalBytes : null;
    if (download.state === 'completed') download.path = filePath ?? null;
    this.#changed.wake();
  }
}

function tooLate(download: Download | undefined): SandboxError {
  const what = download ? `the download of ${download.name} has not ended` : 'no download has begun';
  return new SandboxError('unavailable', `${what} in time`, { hint: 'wait again, or raise timeout' });
}

/** A download with the names of the tool sets of 1.x. */
export function listedDownload({ id, url, name, state, receivedBytes, totalBytes, path, startedAt }: Download) {
  const progress = totalBytes === null || totalBytes === 0 ? null : receivedBytes / totalBytes;
  return { guid: id, url, suggestedFilename: name, path, createdAt: startedAt.toISOString(), progress, state };
}

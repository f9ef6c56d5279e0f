import type { OutgoingHttpHeaders } from 'node:http';
import { basename, dirname, join } from 'node:path';
import type { Exchange } from '../exchange/exchange.ts';
import { type PageName, pageAssets } from './page-assets.ts';
import { StaticFiles } from './static-files.ts';

interface ServedFile {
  readonly files: StaticFiles;
  readonly name: string;
}

const IS_CHECKOUT = import.meta.filename.endsWith('.ts');
/** Directory of the bundle's pages; in a checkout that of the last build, which has the app. */
const BUNDLED = join(import.meta.dirname, bundledFrom());

/** The files of one of the gateway's own pages: in a checkout from its folder, in a bundle from beside it. */
export class PageFiles {
  readonly #inCheckout: ReadonlyMap<string, ServedFile>;
  readonly #bundled: StaticFiles;

  constructor(page: PageName | 'app') {
    this.#inCheckout = new Map(IS_CHECKOUT && page !== 'app' ? ofCheckout(page) : []);
    this.#bundled = new StaticFiles(join(BUNDLED, page));
  }

  /** Sends a file for GET and HEAD; otherwise 404 or 405. */
  async send(
    exchange: Exchange,
    name: string,
    options: { readonly headers?: OutgoingHttpHeaders; readonly cookies?: readonly string[] } = {},
  ): Promise<void> {
    const { files, name: path } = this.#inCheckout.get(name) ?? { files: this.#bundled, name };
    await files.send(exchange, { ...options, path });
  }
}

function bundledFrom(): string {
  if (IS_CHECKOUT) return '../../../dist/pages';
  return basename(import.meta.dirname) === 'chunks' ? '../pages' : 'pages';
}

function ofCheckout(page: PageName): [string, ServedFile][] {
  return pageAssets(page).map(({ name, path }) => [
    name,
    { files: new StaticFiles(dirname(path)), name: basename(path) },
  ]);
}

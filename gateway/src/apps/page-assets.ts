import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of one of the gateway's pages, with its name in the URL. */
export interface PageAsset {
  readonly name: string;
  /** Path in a checkout. */
  readonly path: string;
}

/** URLs of the files of packages that the pages load; a bundle cannot resolve them. */
const PACKAGED = {
  desktop: () => [],
  terminal: () => [
    import.meta.resolve('@xterm/xterm/lib/xterm.mjs'),
    import.meta.resolve('@xterm/xterm/css/xterm.css'),
    import.meta.resolve('@xterm/addon-fit/lib/addon-fit.mjs'),
  ],
} as const satisfies Readonly<Record<string, () => readonly string[]>>;

export type PageName = keyof typeof PACKAGED;

export const PAGE_NAMES = Object.keys(PACKAGED) as readonly PageName[];

/** All files of a page, with their paths in a checkout; the bundle has copies in `pages/` beside it. */
export function pageAssets(page: PageName): PageAsset[] {
  const directory = join(import.meta.dirname, '../../pages', page);
  const own = readdirSync(directory).map((name) => join(directory, name));
  const packaged = PACKAGED[page]().map((url) => fileURLToPath(url));
  return [...own, ...packaged].map((path) => ({ name: path.slice(path.lastIndexOf('/') + 1), path }));
}

import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file that the explorer's page loads, by its name in the URL. */
export interface ExplorerAsset {
  readonly name: string;
  readonly path: string;
}

const OWN = ['explorer.css', 'explorer.mjs'];
const PACKAGED = ['swagger-ui.css', 'swagger-ui-bundle.js'];
/** A bundle cannot resolve them. */
const packagedUrls = (): string[] => [
  import.meta.resolve('swagger-ui-dist/swagger-ui.css'),
  import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
];

/** The files in a checkout: the explorer's own and those of the package; the bundle has copies beside it. */
export function explorerAssets(): ExplorerAsset[] {
  const directory = join(import.meta.dirname, '../../pages/explorer');
  return [
    ...OWN.map((name) => ({ name, path: join(directory, name) })),
    ...packagedUrls().map((url) => ({ name: url.slice(url.lastIndexOf('/') + 1), path: fileURLToPath(url) })),
  ];
}

/** The files where this program finds them: in the checkout, or beside the bundle. */
export function servedAssets(): ExplorerAsset[] {
  if (import.meta.filename.endsWith('.ts')) return explorerAssets();
  const isChunk = basename(import.meta.dirname) === 'chunks';
  const directory = join(import.meta.dirname, isChunk ? '..' : '.', 'pages/explorer');
  return [...OWN, ...PACKAGED].map((name) => ({ name, path: join(directory, name) })).filter(isThere);
}

function isThere({ path }: ExplorerAsset): boolean {
  return existsSync(path);
}

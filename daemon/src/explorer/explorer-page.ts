/** A page of the explorer; its URLs are relative to the page, so that it works below any prefix. */
export interface ExplorerPage {
  readonly path: string;
  readonly title: string;
  /** URL of the OpenAPI document. */
  readonly document: string;
  /** URL of the root of the service. */
  readonly root: string;
  readonly other: { readonly href: string; readonly text: string };
}

/** `/docs` is the explorer of the current API; `/v1/docs` that of the layout of 1.x (docs/contract.md §8). */
export const EXPLORER_PAGES: readonly ExplorerPage[] = [
  {
    path: '/docs',
    title: 'Sandbox API v2',
    document: 'v2/openapi.json',
    root: '.',
    other: { href: 'v1/docs', text: 'API v1' },
  },
  {
    path: '/v1/docs',
    title: 'Sandbox API v1',
    document: 'openapi.json',
    root: '..',
    other: { href: '../docs', text: 'API v2' },
  },
];

/**
 * The policy of the page: files of this origin alone. Swagger UI sets inline styles and has its icons as data URLs.
 */
export const EXPLORER_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export function explorerHtml({ title, document, root, other }: ExplorerPage): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="docs/swagger-ui.css"><link rel="stylesheet" href="docs/explorer.css">
<script src="docs/swagger-ui-bundle.js" defer></script><script type="module" src="docs/explorer.mjs"></script></head>
<body data-document="${document}" data-root="${root}">
<nav aria-label="Descriptions"><strong>${title}</strong> <a href="${document}">OpenAPI document</a> <a href="${other.href}">${other.text}</a></nav>
<main id="explorer"><p role="status">Loading the description…</p></main></body></html>
`;
}

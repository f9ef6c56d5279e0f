import { createHash } from 'node:crypto';

const STYLE = `:root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--line:#8c959f;--link:#0550ae;--bad:#b3261e}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--paper:#0d1117;--line:#6e7681;--link:#79b8ff;--bad:#ff9a93}}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:40rem;margin:10vh auto;padding:0 1rem;overflow-wrap:anywhere}
h1{margin:0 0 1rem}
h2{margin:1.5rem 0 .25rem;font-size:1.1rem}
ul{margin:0;padding:0;list-style:none}
li a{display:inline-block;padding:.3rem 0}
a{color:var(--link)}
[role=alert]{color:var(--bad)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem;margin:1.5rem 0 0}
dd{margin:0}
form{display:flex;flex-wrap:wrap;gap:.5rem;align-items:end}
label{display:grid;gap:.25rem;flex:1 1 14rem;max-width:24rem}
input,button{font:inherit;padding:.5rem .75rem;border:1px solid var(--line);border-radius:.4rem;background:transparent;color:inherit}
button{border-color:var(--link);background:var(--link);color:var(--paper)}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/**
 * The policy of the gateway's own pages: no content but their style, no framing.
 * @param formTargets origins besides the page's own that a form may lead to
 */
export function pagePolicy(formTargets: readonly string[] = []): string {
  const targets = ["'self'", ...formTargets].join(' ');
  return `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action ${targets}; base-uri 'none'; frame-ancestors 'none'`;
}

/** Headers of the gateway's own pages: no external content, framing, content sniffing, caching or referrer. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': pagePolicy(),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  Vary: 'Accept, Authorization, Cookie',
};

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}

const REFUSALS = {
  key: 'This key is not accepted.',
  link: 'This link is not valid any more: it has expired or was used. The API key opens the page.',
} as const;

interface KeyForm {
  /** Where the form posts to, relative to the page. */
  readonly action: string;
  /** What was refused before; undefined for the first form. */
  readonly refused?: keyof typeof REFUSALS | undefined;
}

/** A form for the API key. It is posted, so that the key is in no address. */
export function keyPage({ action, refused }: KeyForm): string {
  const text =
    refused === undefined ? '<p>This sandbox requires its API key.</p>' : `<p role="alert">${REFUSALS[refused]}</p>`;
  return page(
    'Sandbox: key required',
    `<h1>Sandbox</h1>${text}
<form method="post" action="${escapeHtml(action)}">
<label>API key <input type="password" name="api_key" autocomplete="off" required autofocus></label>
<button>Open</button></form>`,
  );
}

/** An error page with message, status and hint. */
export function errorPage(
  status: number,
  { message, hint }: { readonly message: string; readonly hint: string },
): string {
  const words = [`${message} (${status})`, hint];
  return page('Sandbox: error', `<h1>Sandbox</h1>${words.map((text) => `<p>${escapeHtml(text)}</p>`).join('\n')}`);
}

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><main>${content}</main></body></html>
`;
}

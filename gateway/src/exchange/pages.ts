import { createHash } from 'node:crypto';
import type { Target } from './target.ts';

const STYLE = `:root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--line:#d0d7de;--link:#0550ae}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--paper:#0d1117;--line:#3d444d;--link:#79b8ff}}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:40rem;margin:10vh auto;padding:0 1rem}
a{color:var(--link)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem}
dd{margin:0}
input,button{font:inherit;padding:.4rem .6rem;border:1px solid var(--line);border-radius:.4rem;background:transparent;color:inherit}`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Headers of the gateway's own pages: no external content, framing, content sniffing, caching or referrer. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
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

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}

/** A form for the API key. It submits to the same target, which redirects to the URL without the key. */
export function keyPage(target: Target, { rejected = false } = {}): string {
  return page(
    'Sandbox: key required',
    `<h1>Sandbox</h1><p>${rejected ? 'This key is not accepted.' : 'This sandbox requires its API key.'}</p>
<form method="get">${keptFields(target.query)}
<label>API key <input type="password" name="api_key" autocomplete="off" required autofocus></label>
<button>Open</button></form>`,
  );
}

/** An error page with message, status and hint. */
export function errorPage(
  status: number,
  { message, hint }: { readonly message: string; readonly hint: string | undefined },
): string {
  const words = [`${message} (${status})`, ...(hint === undefined ? [] : [hint])];
  return page('Sandbox: error', `<h1>Sandbox</h1>${words.map((text) => `<p>${escapeHtml(text)}</p>`).join('\n')}`);
}

export interface DaemonState {
  readonly status: string;
  readonly version: string;
}

export interface Link {
  readonly text: string;
  readonly href: string;
}

interface SandboxState {
  readonly version: string;
  /** Undefined if the daemon does not respond. */
  readonly daemon: DaemonState | undefined;
  /** Applications that are running and have a page. */
  readonly links: readonly Link[];
  /** Listening ports that can be previewed. */
  readonly previews: readonly number[];
}

export function statusPage({ version, daemon, links, previews }: SandboxState): string {
  const { status, version: daemonVersion } = daemon ?? { status: 'not reachable', version: 'unknown' };
  const ports = previews.map((port) => ({ text: `Port ${port}`, href: `open/${port}` }));
  return page(
    'Sandbox',
    `<h1>Sandbox</h1>
${linkList('Open', links)}${linkList('Listening in the sandbox', ports)}<h2>API</h2>
<ul><li><a href="/v2/openapi.json">API v2 (OpenAPI)</a></li>
<li><a href="/v1/openapi.json">API v1 (OpenAPI)</a></li>
<li><a href="/metrics">Metrics</a></li></ul>
<dl><dt>Daemon</dt><dd>${escapeHtml(status)}, version ${escapeHtml(daemonVersion)}</dd>
<dt>Gateway</dt><dd>version ${escapeHtml(version)}</dd></dl>`,
  );
}

function linkList(title: string, links: readonly Link[]): string {
  if (links.length === 0) return '';
  const items = links.map(({ text, href }) => `<li><a href="${escapeHtml(href)}">${escapeHtml(text)}</a></li>`);
  return `<h2>${escapeHtml(title)}</h2>\n<ul>${items.join('\n')}</ul>\n`;
}

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><main>${content}</main></body></html>
`;
}

/** Submitting a form by GET drops the query of the URL, so the other parameters are hidden fields. */
function keptFields(query: string | undefined): string {
  return [...new URLSearchParams(query ?? '')]
    .filter(([name]) => name !== 'api_key' && name !== 'ticket')
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
    .join('');
}

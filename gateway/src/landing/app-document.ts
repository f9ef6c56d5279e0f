import { randomBytes } from 'node:crypto';
import { escapeHtml, PAGE_HEADERS } from '../exchange/pages.ts';
import type { SandboxState } from './state-fields.ts';

interface AppDocument {
  readonly headers: Readonly<Record<string, string>>;
  readonly content: string;
}

interface Link {
  readonly text: string;
  readonly href: string;
}

/**
 * The document of the app: the state of the sandbox as data, the scripts and styles that show it, and for a browser
 * without scripts the links alone. All its addresses are relative, so that it works below a path prefix.
 *
 * The policy names one script by a nonce, and forbids every way in which text could become markup (Trusted Types).
 */
export function appDocument(state: SandboxState): AppDocument {
  const nonce = randomBytes(16).toString('base64');
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "style-src 'self'",
    "img-src 'self' blob:",
    "connect-src 'self'",
    "frame-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
  const content = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
<meta name="color-scheme" content="light dark">
<title>Sandbox</title>
<link rel="icon" href="app/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="app/app.css">
<script type="application/json" id="state">${dataOf(state)}</script>
<script type="module" src="app/app.js" nonce="${nonce}"></script>
</head>
<body>
<div id="app"></div>
<noscript>${withoutScripts(state)}</noscript>
</body>
</html>
`;
  return { headers: { ...PAGE_HEADERS, 'Content-Security-Policy': policy }, content };
}

/** JSON in a script element: nothing in it can end the element. */
function dataOf(state: SandboxState): string {
  return JSON.stringify(state).replaceAll('<', '\\u003c');
}

/** Links of the applications, by their names in the state. */
const APPLICATIONS = {
  desktop: { text: 'Desktop', href: 'vnc/' },
  'code-server': { text: 'VS Code (code-server)', href: 'code-server/' },
  jupyter: { text: 'JupyterLab', href: 'jupyter/lab' },
  browser: { text: 'Browser (DevTools protocol)', href: 'cdp/json/version' },
} as const satisfies Readonly<Record<keyof SandboxState['applications'], Link>>;

function withoutScripts({ version, daemon, applications, ports }: SandboxState): string {
  const names = Object.keys(APPLICATIONS) as (keyof typeof APPLICATIONS)[];
  const links = names.filter((name) => applications[name] === 'running').map((name) => APPLICATIONS[name]);
  const previews = ports.map((port) => ({ text: `Port ${port}`, href: `open/${port}` }));
  return `<main>
<h1>Sandbox</h1>
<p>The app of this page needs JavaScript. These links work without it.</p>
${linkList('Open', [{ text: 'Terminal', href: 'terminal/' }, ...links])}${linkList('Listening in the sandbox', previews)}<h2>API</h2>
<ul><li><a href="v2/openapi.json">API v2 (OpenAPI)</a></li>
<li><a href="v1/openapi.json">API v1 (OpenAPI)</a></li>
<li><a href="v2/guide">Guide for agents</a></li>
<li><a href="metrics">Metrics</a></li></ul>
<dl><dt>Daemon</dt><dd>${escapeHtml(daemon.status)}, version ${escapeHtml(daemon.version)}</dd>
<dt>Gateway</dt><dd>version ${escapeHtml(version)}</dd></dl>
</main>`;
}

function linkList(title: string, links: readonly Link[]): string {
  if (links.length === 0) return '';
  const items = links.map(({ text, href }) => `<li><a href="${escapeHtml(href)}">${escapeHtml(text)}</a></li>`);
  return `<h2>${escapeHtml(title)}</h2>\n<ul>${items.join('\n')}</ul>\n`;
}

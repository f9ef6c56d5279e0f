import { expect, test } from 'vitest';
import { appDocument } from './app-document.ts';
import type { SandboxState } from './state-fields.ts';

const STATE: SandboxState = {
  version: '9.9.9',
  daemon: { status: '</script><script>alert(1)</script>', version: '<!--"&\u2028', uptime_seconds: 1 },
  applications: { desktop: 'running', 'code-server': 'off', jupyter: 'running', browser: 'stopped' },
  ports: [3000],
  resources: {
    of: 'machine',
    oom_kills: null,
    cpu: { used_ms: 1, at_ms: 2, count: 1 },
    memory: { used: 1, total: 2 },
    disk: null,
  },
};

test('[app.state] the state is data that no text of it can leave, and is read back as it was', () => {
  const { content } = appDocument(STATE);
  const [, data = ''] = /<script type="application\/json" id="state">([^<]*)<\/script>/.exec(content) ?? [];
  expect(JSON.parse(data)).toEqual(STATE);
  expect(content.match(/<script/g)).toHaveLength(2);
  expect(content).not.toContain('<!--');
});

test('[app.policy] each document has a nonce of its own, in its policy and at its one script', () => {
  const nonces = [appDocument(STATE), appDocument(STATE)].map(({ headers, content }) => {
    const [, nonce = ''] = /script-src 'nonce-([^']+)'/.exec(headers['Content-Security-Policy'] ?? '') ?? [];
    expect(content.split(`nonce="${nonce}"`)).toHaveLength(2);
    return nonce;
  });
  expect(new Set(nonces).size).toBe(2);
});

test('[landing.page] without scripts the links of what runs are there, relative to the page', () => {
  const { content } = appDocument(STATE);
  const links = [...content.slice(content.indexOf('<noscript>')).matchAll(/href="([^"]+)"/g)].map(([, href]) => href);
  expect(links).toEqual([
    'terminal/',
    'vnc/',
    'jupyter/lab',
    'open/3000',
    'v2/openapi.json',
    'v1/openapi.json',
    'v2/guide',
    'metrics',
  ]);
});

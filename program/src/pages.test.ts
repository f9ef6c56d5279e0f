import { expect, test } from 'vitest';
import { GATEWAY_PATHS, PAGES, prefixesOfPage } from './pages.ts';

const pages = [...PAGES, { path: GATEWAY_PATHS.terminal, opens: ['/v2/pty'] }];

test.each([
  ['/', ['/']],
  ['/vnc', ['/vnc', '/websockify', '/v2/session']],
  ['/vnc/index.html', ['/vnc', '/websockify', '/v2/session']],
  ['/terminal/', ['/terminal', '/v2/pty']],
  ['/code-server/', ['/code-server']],
  ['/proxy/3000', ['/proxy/3000']],
  ['/proxy/3000/a/b', ['/proxy/3000']],
  ['/absproxy/3000/', ['/absproxy/3000']],
])('%s is a page with a cookie for %j', (path, prefixes) => {
  expect(prefixesOfPage(path, pages)).toEqual(prefixes);
});

test.each(['/vncx', '/v2/pty', '/proxy', '/proxy/', '/proxy/name/', '/proxy/30a', '/absproxy', '', '/Terminal'])(
  '%j is not a page',
  (path) => {
    expect(prefixesOfPage(path, pages)).toBeUndefined();
  },
);

import type { RouteScopes } from '../../core/access/scopes.ts';

/** Below both prefixes. */
const SCOPES: RouteScopes = {
  '/tabs': 'GET=view POST=control',
  '/tabs/:tab_id/activate': 'POST=control',
  '/tabs/:tab_id': 'DELETE=control',
  '/navigate': 'POST=control',
  '/wait': 'POST=control',
  '/evaluate': 'POST=control',
  '/snapshot': 'POST=read',
  '/click': 'POST=control',
  '/fill': 'POST=control',
  '/select': 'POST=control',
  '/hover': 'POST=control',
  '/drag': 'POST=control',
  '/upload': 'POST=control',
  '/dialog': 'GET=read POST=control',
  '/downloads': 'GET=read',
  '/downloads/wait': 'POST=read',
  '/downloads/:id/file': 'GET=read',
  '/pdf': 'GET=read',
  '/storage': 'GET=read POST=control',
  '/network/har': 'GET=read',
  '/network/requests': 'GET=read',
  '/screenshot': 'GET=view',
  '/cookies': 'GET=read POST=control DELETE=control',
  '/info': 'GET=read',
  '/config': 'POST=control',
  '/cdp': 'POST=control',
  '/actions': 'POST=control',
  '/start': 'POST=control',
};

export const BROWSER_SCOPES: RouteScopes = Object.fromEntries(
  ['/v1/browser', '/v2/browser'].flatMap((prefix) =>
    Object.entries(SCOPES).map(([path, needs]) => [`${prefix}${path}`, needs]),
  ),
);

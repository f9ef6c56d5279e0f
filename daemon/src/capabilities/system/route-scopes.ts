import type { RouteScopes } from '../../core/access/scopes.ts';

export const SYSTEM_SCOPES: RouteScopes = {
  '/v2/tickets': 'POST=any GET=any',
  '/v2/tickets/:id': 'DELETE=any',
  '/v2/session': 'GET=any DELETE=any',
  '/v2/system/processes': 'GET=read',
  '/v2/system/processes/:pid/signal': 'POST=control',
  '/v2/system/usage': 'GET=view',
};

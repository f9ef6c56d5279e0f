import type { RouteScopes } from '../../core/access/scopes.ts';

export const PORTS_SCOPES: RouteScopes = {
  '/v2/ports/:port/connect': 'GET=control',
};

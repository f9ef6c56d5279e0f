import type { RouteScopes } from '../../core/access/scopes.ts';

export const TIMELINE_SCOPES: RouteScopes = {
  '/v2/timeline': 'GET=read',
  '/v2/timeline/at/:seq': 'GET=read',
};

import type { RouteScopes } from '../../core/access/scopes.ts';

export const SANDBOX_SCOPES: RouteScopes = {
  '/v2/sandbox': 'GET=view',
  '/v2/sandbox/packages': 'GET=read',
  '/v2/sandbox/activity': 'GET=view',
  '/v2/sandbox/claim': 'POST=all',
  '/v1/sandbox': 'GET=view',
  '/v1/sandbox/packages/python': 'GET=read',
  '/v1/sandbox/packages/nodejs': 'GET=read',
  '/v1/capabilities': 'GET=view',
};

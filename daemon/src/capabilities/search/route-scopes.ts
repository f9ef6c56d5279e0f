import type { RouteScopes } from '../../core/access/scopes.ts';

export const SEARCH_SCOPES: RouteScopes = {
  '/v2/fs/search': 'GET=read',
  '/v2/fs/grep': 'POST=read',
  '/v1/file/find': 'POST=read',
  '/v1/file/glob': 'POST=read',
  '/v1/file/grep': 'POST=read',
  '/v1/file/search': 'POST=read',
};

import type { RouteScopes } from '../../core/access/scopes.ts';

export const DESKTOP_SCOPES: RouteScopes = {
  '/v2/computer/info': 'GET=view',
  '/v2/computer/screenshot': 'GET=view',
  '/v2/computer/actions': 'POST=control',
  '/v2/computer/actions/batch': 'POST=control',
  '/v2/computer/cursor': 'GET=view',
  '/v2/computer/clipboard': 'GET=read',
  '/v2/computer/windows': 'GET=view',
  '/v2/computer/resolution': 'POST=control',
  '/v2/computer/accessibility': 'GET=view',
  '/v2/computer/accessibility/nodes': 'GET=view',
  '/v2/computer/record': 'POST=control',
  '/v1/display/record': 'POST=control',
};

import type { RouteScopes } from '../../core/access/scopes.ts';

export const PTY_SCOPES: RouteScopes = {
  '/v2/pty/sessions': 'GET=view POST=control',
  '/v2/pty/sessions/:id': 'GET=view PATCH=control DELETE=control',
  '/v2/pty/sessions/:id/exec': 'POST=control',
  '/v2/pty/sessions/:id/input': 'POST=control',
  '/v2/pty/sessions/:id/signal': 'POST=control',
  '/v2/pty/sessions/:id/screen': 'GET=view',
  '/v2/pty/sessions/:id/ws': 'GET=view',
  '/v2/pty/ws': 'GET=control',
  '/v1/shell/exec': 'POST=control',
  '/v1/shell/view': 'POST=view',
  '/v1/shell/wait': 'POST=view',
  '/v1/shell/write': 'POST=control',
  '/v1/shell/kill': 'POST=control',
  '/v1/shell/sessions': 'GET=view DELETE=control',
  '/v1/shell/sessions/create': 'POST=control',
  '/v1/shell/sessions/stats': 'GET=view',
  '/v1/shell/sessions/update': 'POST=control',
  '/v1/shell/sessions/:session_id': 'DELETE=control',
  '/v1/shell/terminal-url': 'GET=control',
  '/v1/shell/ws': 'GET=view',
};

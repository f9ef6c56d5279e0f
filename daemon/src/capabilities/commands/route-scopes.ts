import type { RouteScopes } from '../../core/access/scopes.ts';

export const COMMANDS_SCOPES: RouteScopes = {
  '/v2/commands': 'GET=read POST=control',
  '/v2/commands/:command_id': 'GET=read',
  '/v2/commands/:command_id/kill': 'POST=control',
  '/v2/commands/:command_id/attach': 'GET=control',
  '/v2/commands/:command_id/stdin': 'POST=control',
  '/v2/commands/sessions': 'GET=read POST=control',
  '/v2/commands/sessions/:session_id': 'GET=read DELETE=control',
  '/v1/bash/exec': 'POST=control',
  '/v1/bash/output': 'POST=control',
  '/v1/bash/write': 'POST=control',
  '/v1/bash/kill': 'POST=control',
  '/v1/bash/sessions': 'GET=read',
  '/v1/bash/sessions/create': 'POST=control',
  '/v1/bash/sessions/:session_id/close': 'POST=control',
};

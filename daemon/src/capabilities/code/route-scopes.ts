import type { RouteScopes } from '../../core/access/scopes.ts';

export const CODE_SCOPES: RouteScopes = {
  '/v2/code/execute': 'POST=control',
  '/v2/code/info': 'GET=read',
  '/v2/code/executions/:execution_id': 'GET=read',
  '/v2/code/executions/:execution_id/interrupt': 'POST=control',
  '/v2/code/executions/:execution_id/input': 'POST=control',
  '/v2/code/sessions': 'GET=read POST=control',
  '/v2/code/sessions/:session_id': 'GET=read DELETE=control',
  '/v2/code/sessions/:session_id/interrupt': 'POST=control',
  '/v2/code/sessions/:session_id/restart': 'POST=control',
  '/v1/jupyter/execute': 'POST=control',
  '/v1/jupyter/info': 'GET=read',
  '/v1/jupyter/sessions': 'GET=read DELETE=control',
  '/v1/jupyter/sessions/create': 'POST=control',
  '/v1/jupyter/sessions/:session_id': 'DELETE=control',
  '/v1/code/execute': 'POST=control',
  '/v1/code/info': 'GET=read',
  '/v1/nodejs/execute': 'POST=control',
  '/v1/nodejs/info': 'GET=read',
  '/v1/nodejs/sessions': 'GET=read POST=control',
  '/v1/nodejs/sessions/:session_id': 'GET=read PATCH=control DELETE=control',
};

import type { RouteScopes } from '../../core/access/scopes.ts';

export const CHECKPOINT_SCOPES: RouteScopes = {
  '/v2/checkpoints': 'GET=files-read POST=files',
  '/v2/checkpoints/import': 'POST=files',
  '/v2/checkpoints/:checkpoint_id': 'GET=files-read DELETE=files',
  '/v2/checkpoints/:checkpoint_id/diff': 'GET=files-read',
  '/v2/checkpoints/:checkpoint_id/export': 'GET=files-read',
  '/v2/checkpoints/:checkpoint_id/files': 'GET=files-read',
  '/v2/checkpoints/:checkpoint_id/restore': 'POST=files',
};

import { join } from 'node:path';
import { defineCapability } from '../../capability.ts';
import { FileService } from './file-service.ts';
import { filesV1 } from './v1/routes.ts';
import { filesV2 } from './v2/routes.ts';

export const files = defineCapability({
  name: 'files',
  create: ({ config, runtime }) => new FileService(config.defaultUser, join(runtime.directory('parts'), 'journal')),
  v2: filesV2,
  v1: filesV1,
});

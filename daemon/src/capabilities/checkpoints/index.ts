import { defineCapability } from '../../capability.ts';
import { BEFORE_CHANGE } from '../../core/ports/before-change-port.ts';
import { provide } from '../../core/ports/port.ts';
import { AUTO_RESULTS } from './auto/auto-checkpoints.ts';
import { CheckpointService } from './checkpoint-service.ts';
import { CheckpointOptions } from './options.ts';
import { CHECKPOINT_SCOPES } from './route-scopes.ts';
import { checkpointsV2 } from './v2/routes.ts';
import { checkpointTool } from './wire/checkpoint-tool.ts';

export const checkpoints = defineCapability({
  name: 'checkpoints',
  scopes: CHECKPOINT_SCOPES,
  options: CheckpointOptions,
  unsupportedOn: ['darwin', 'win32'],
  create: (core, options) => {
    const service = new CheckpointService(core, options);
    core.metrics.gauge('checkpoints', 'Checkpoints of directories.', () => service.figures.count);
    core.metrics.gauge('checkpoint_bytes', 'Bytes of the store of checkpoints.', () => service.figures.bytes);
    for (const result of AUTO_RESULTS) core.metrics.automaticCheckpoints.inc({ result }, 0);
    return service;
  },
  activity: {
    kind: 'file',
    looks: ['/v2/checkpoints', '/v2/checkpoints/:checkpoint_id'],
    transfers: [
      '/v2/checkpoints/import',
      '/v2/checkpoints/:checkpoint_id/files',
      '/v2/checkpoints/:checkpoint_id/export',
    ],
  },
  provides: [provide(BEFORE_CHANGE, (service: CheckpointService) => (change) => service.auto?.before(change))],
  v2: checkpointsV2,
  tools: checkpointTool,
});

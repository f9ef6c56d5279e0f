import { defineCapability } from '../../capability.ts';
import { systemV1 } from './routes.v1.ts';
import { systemV2 } from './routes.v2.ts';
import { SystemService } from './system-service.ts';

export const system = defineCapability({
  name: 'system',
  create: ({ tickets, runtime }) => new SystemService(tickets, runtime.directory('probes')),
  v2: systemV2,
  v1: systemV1,
  probe: (service) => service.probeFileWrite(),
});

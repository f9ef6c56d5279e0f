import { defineCapability } from '../../capability.ts';
import { SystemService } from './system-service.ts';
import { systemV2 } from './v2/routes.ts';

export const system = defineCapability({
  name: 'system',
  create: ({ tickets, runtime }) => new SystemService(tickets, runtime.directory('probes')),
  v2: systemV2,
  probe: (service) => service.probeFileWrite(),
});

import { defineCapability } from '../../capability.ts';
import { SystemService } from './system-service.ts';
import { systemV2 } from './v2/routes.ts';

export const system = defineCapability({
  name: 'system',
  create: ({ tickets }) => new SystemService(tickets),
  v2: systemV2,
});

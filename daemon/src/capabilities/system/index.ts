import { defineCapability } from '../../capability.ts';
import { memory } from './memory.ts';
import { SYSTEM_SCOPES } from './route-scopes.ts';
import { SystemService } from './system-service.ts';
import { systemV2 } from './v2/routes.ts';

export const system = defineCapability({
  name: 'system',
  scopes: SYSTEM_SCOPES,
  requires: [memory],
  create: ({ config, platform, tickets }) => new SystemService(tickets, config.programStates, platform),
  v2: systemV2,
});

import { defineCapability } from '../../capability.ts';
import { AccountPrograms } from '../../core/account/account-programs.ts';
import { SURVEY } from '../../core/survey/survey.ts';
import { SANDBOX_SCOPES } from './route-scopes.ts';
import { SandboxService } from './sandbox-service.ts';
import { sandboxTools } from './tools.ts';
import { sandboxV1 } from './v1/routes.ts';
import { sandboxV2 } from './v2/routes.ts';
import { CLAIM_PATH } from './wire/claim.ts';

export const sandbox = defineCapability({
  name: 'sandbox',
  scopes: SANDBOX_SCOPES,
  // The token of the claim stands for the key, which the sandbox has not got yet.
  publicPaths: [CLAIM_PATH],
  uses: [SURVEY],
  create: async (core, _options, ports) => new SandboxService(core, await AccountPrograms.open(core), ports),
  v2: sandboxV2,
  v1: sandboxV1,
  tools: sandboxTools,
});

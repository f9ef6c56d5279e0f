import { boolean, named } from '@sandbox/program/options.ts';
import { z } from 'zod';

export const SandboxdOptions = {
  sandboxd: named(boolean().default(false), {
    env: 'SVC_SANDBOXD',
    flag: 'sandboxd',
    description:
      "Serve the runtime API of Kubernetes' agent-sandbox (sandboxd) on the public port: /v1/files, /v1/health and " +
      '/v1/metadata.',
  }),
  sandboxdRoot: named(z.string().startsWith('/', 'expected an absolute path').optional(), {
    env: 'SVC_SANDBOXD_ROOT',
    flag: 'sandboxd-root',
    description: "Directory that the runtime API of agent-sandbox serves. Unset: the default account's home.",
  }),
};

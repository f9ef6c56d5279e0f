import { named } from '@sandbox/program/options.ts';
import { z } from 'zod';

export const CloudflareOptions = {
  cloudflareRoot: named(z.string().startsWith('/', 'expected an absolute path').optional(), {
    env: 'SVC_CLOUDFLARE_ROOT',
    flag: 'cloudflare-root',
    description:
      "Directory that clients of Cloudflare's sandbox bridge see as /workspace. Unset: /workspace if it exists, else " +
      "the default account's home.",
  }),
};

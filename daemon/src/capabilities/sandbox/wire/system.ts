import { z } from 'zod';
import type { SystemFacts } from '../context/system.ts';

/** Fields of the machine and of the account of commands. */
export const SYSTEM_FIELDS = {
  hostname: z.string(),
  os: z.string().meta({ description: 'Name and version of the distribution.' }),
  kernel: z.string(),
  arch: z.string(),
  user: z.string().meta({ description: 'The account of commands.' }),
  home_dir: z.string(),
  timezone: z.string(),
  occupied_ports: z.array(z.int()),
} as const;

export function systemData(system: SystemFacts) {
  const { hostname, os, kernel, arch, user, home, timezone, occupiedPorts } = system;
  return { hostname, os, kernel, arch, user, home_dir: home, timezone, occupied_ports: [...occupiedPorts] };
}

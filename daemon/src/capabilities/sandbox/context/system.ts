import { readFile } from 'node:fs/promises';
import { arch, hostname, release, type as systemType, version } from 'node:os';
import { parseEnv } from 'node:util';
import type { AccountPrograms } from '../../../core/account/account-programs.ts';
import { occupiedPorts } from './occupied-ports.ts';

const OS_RELEASE = '/etc/os-release';

export interface SystemFacts {
  readonly hostname: string;
  /** Name of the kernel, such as Linux. */
  readonly type: string;
  /** Name and version of the distribution; those of the kernel if the system has no os-release(5). */
  readonly os: string;
  readonly kernel: string;
  readonly arch: string;
  /** The account of commands. */
  readonly user: string;
  readonly home: string;
  readonly timezone: string;
  readonly occupiedPorts: readonly number[];
}

/** @throws SandboxError if the account of commands does not exist */
export async function systemFacts(programs: AccountPrograms): Promise<SystemFacts> {
  return {
    hostname: hostname(),
    type: systemType(),
    os: await distribution(),
    kernel: release(),
    arch: arch(),
    user: programs.identity.name,
    home: programs.home,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    occupiedPorts: await occupiedPorts(),
  };
}

async function distribution(): Promise<string> {
  try {
    return parseEnv(await readFile(OS_RELEASE, 'utf8'))['PRETTY_NAME'] ?? version();
  } catch {
    return version();
  }
}

import { existsSync } from 'node:fs';
import process from 'node:process';
import { succeeds } from './run-command.ts';

/** Something of the machine that a step cannot do without. */
export interface Need {
  readonly name: string;
  /** Exits 0 where it is there. */
  readonly probe: readonly string[];
  /** What gets it, one after the other, where that may be done. */
  readonly obtain: readonly (readonly string[])[];
  /** What it is for. */
  readonly reason: string;
}

/** How root gets a package on Debian. */
export function debianPackage(name: string): Need['obtain'] {
  return [
    ['apt-get', 'update', '-qq'],
    ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', 'install', '-y', '-qq', '--no-install-recommends', name],
  ];
}

/** A program on PATH that a package of Debian brings: the one of its name, unless another is named. */
export function debianProgram(program: string, reason: string, packageName = program): Need {
  return {
    name: program,
    probe: ['sh', '-c', 'command -v "$1"', 'sh', program],
    obtain: debianPackage(packageName),
    reason,
  };
}

/** Packages are installed by root on Debian alone; anybody else is told what is missing. */
export function mayInstall(): boolean {
  return process.getuid?.() === 0 && existsSync('/etc/debian_version');
}

/** The needs that are not met, after what may be obtained has been. */
export async function unmet(needs: readonly Need[], mayObtain: boolean): Promise<Need[]> {
  const missing: Need[] = [];
  for (const need of needs) {
    if (!(await isMet(need)) && !(mayObtain && (await obtained(need)))) missing.push(need);
  }
  return missing;
}

function isMet({ probe }: Need): Promise<boolean> {
  return succeeds(probe, 'ignore');
}

async function obtained(need: Need): Promise<boolean> {
  for (const command of need.obtain) if (!(await succeeds(command))) return false;
  return isMet(need);
}

import { existsSync } from 'node:fs';
import process from 'node:process';
import { succeeds } from './run-command.ts';

/** A requirement of a step on the machine. */
export interface Need {
  readonly name: string;
  /** Exits 0 if it is met. */
  readonly probe: readonly string[];
  /** Commands that install it, in order, where that is permitted. */
  readonly obtain: readonly (readonly string[])[];
  /** Its purpose. */
  readonly reason: string;
}

/** Commands that install a package as root on Debian. */
export function debianPackage(name: string): Need['obtain'] {
  return [
    ['apt-get', 'update', '-qq'],
    ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', 'install', '-y', '-qq', '--no-install-recommends', name],
  ];
}

/** A program on PATH from a Debian package; by default the package has the program's name. */
export function debianProgram(program: string, reason: string, packageName = program): Need {
  return {
    name: program,
    probe: ['sh', '-c', 'command -v "$1"', 'sh', program],
    obtain: debianPackage(packageName),
    reason,
  };
}

/** Only root on Debian installs packages; otherwise the run reports what is missing. */
export function mayInstall(): boolean {
  return process.getuid?.() === 0 && existsSync('/etc/debian_version');
}

/** The needs that remain unmet after permitted installations. */
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

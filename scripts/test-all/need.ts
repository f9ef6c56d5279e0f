import { existsSync } from 'node:fs';
import process from 'node:process';
import { succeeds } from './run-command.ts';

/** A requirement of a step on the machine. */
export interface Need {
  readonly name: string;
  /** Exits 0 if it is met. */
  readonly probe: readonly string[];
  /** Commands that install it, in order, if that is permitted. */
  readonly obtain: readonly (readonly string[])[];
  /** The Debian package that meets it. */
  readonly packageName?: string;
  /** Its purpose. */
  readonly reason: string;
}

/** Commands that install packages as root on Debian. */
export function debianPackage(...names: readonly string[]): Need['obtain'] {
  // Another step may be installing.
  const apt = ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-o', 'DPkg::Lock::Timeout=300'];
  return [
    ['apt-get', 'update', '-qq'],
    [...apt, 'install', '-y', '-qq', '--no-install-recommends', ...names],
  ];
}

/** A program on PATH from a Debian package; by default the package has the program's name. */
export function debianProgram(program: string, reason: string, packageName = program): Need {
  return {
    name: program,
    probe: ['sh', '-c', 'command -v "$1"', 'sh', program],
    obtain: debianPackage(packageName),
    packageName,
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

/**
 * Installs the packages of all unmet needs in one transaction. If it fails, each step installs what it needs itself, so
 * that one missing package leaves out only the steps that need it.
 */
export async function installTogether(needs: readonly Need[], say: (line: string) => void): Promise<void> {
  const missing = await Promise.all(needs.map(async (need) => ((await isMet(need)) ? [] : [need.packageName ?? []])));
  const names = [...new Set(missing.flat(2))];
  if (names.length === 0) return;
  say(`installing ${names.join(' ')}`);
  for (const command of debianPackage(...names)) if (!(await succeeds(command))) return;
}

function isMet({ probe }: Need): Promise<boolean> {
  return succeeds(probe, 'ignore');
}

async function obtained(need: Need): Promise<boolean> {
  for (const command of need.obtain) if (!(await succeeds(command))) return false;
  return isMet(need);
}

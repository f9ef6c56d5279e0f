import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { ARCHITECTURES, type Architecture, OWN } from '../build/architecture.ts';
import { debianPackage, mayInstall, unmet } from '../test-all/need.ts';
import { capture } from './docker.ts';

const FORMATS = '/proc/sys/fs/binfmt_misc';
const REGISTER = `${FORMATS}/register`;

/**
 * Ensures that the kernel runs programs of another architecture by QEMU, in containers too. Root on Debian installs
 * Debian's qemu-user-static and registers it until the machine ends; elsewhere it must be registered already.
 * @throws Error with what is missing
 */
export async function ensureEmulation(architecture: Architecture, say: (line: string) => void): Promise<void> {
  const { machine } = ARCHITECTURES[architecture];
  const name = `qemu-${machine}`;
  if (architecture === OWN || existsSync(`${FORMATS}/${name}`)) return;
  if (!mayInstall()) throw new Error(`programs for ${architecture} do not run here: register ${name} with binfmt_misc`);
  const probe = ['sh', '-c', `command -v ${name}-static`];
  const qemu = {
    name,
    probe,
    obtain: debianPackage('qemu-user-static'),
    reason: `it runs programs for ${architecture}`,
  };
  const [missing] = await unmet([qemu], true);
  if (missing) throw new Error(`${name} cannot be installed: ${missing.reason}`);
  if (!existsSync(REGISTER)) await capture(['mount', '-t', 'binfmt_misc', 'binfmt_misc', FORMATS]);
  // Debian's package may have registered it.
  if (existsSync(`${FORMATS}/${name}`)) return;
  if (!existsSync(REGISTER)) throw new Error('binfmt_misc cannot be mounted on this machine');
  await writeFile(REGISTER, await readFile(`/usr/lib/binfmt.d/${name}.conf`, 'utf8'));
  say(`programs for ${architecture} run by ${name} until the machine ends (${FORMATS}/${name})`);
}

import { readResources } from '@sandbox/program/resources/read-resources.ts';
import type { Finding } from '../../core/finding.ts';
import type { Requirement } from '../../core/requirement.ts';

const MIB = 1024 ** 2;
/** With it a browser, a desktop and an interpreter work beside each other; docs/operations.md has the conditions. */
const ENOUGH_BYTES = 1024 * MIB;

/** What the memory of the container, or of the machine, is enough for. */
export const memory: Requirement = {
  name: 'memory',
  required: false,
  check: async () => memoryFinding((await readResources()).memory.total),
};

export function memoryFinding(bytes: number): Finding {
  const size = `${Math.floor(bytes / MIB)} MiB`;
  if (bytes >= ENOUGH_BYTES) return { name: 'memory', ok: true, detail: size };
  const detail = `${size}: commands, terminals, files and cells; beside a browser or desktop they are slow or killed`;
  const hint = 'allow 1 GiB (docker run --memory 1g), or start no browser (BROWSER_START_MODE=manual)';
  return { name: 'memory', ok: false, detail, hint };
}

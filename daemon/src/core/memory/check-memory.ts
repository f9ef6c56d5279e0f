import { readFileSync } from 'node:fs';
import type { Finding } from '../finding.ts';
import { GroupMemory } from './group-memory.ts';

/** What commands get more than the services, unless the kernel's largest score is in the way. */
const COMMANDS_SCORE = 500;
const SCORE_MAX = 1000;
const GUARD_HINT = 'set SVC_MEMORY_GUARD=90';

/** What the kernel kills first when the memory limit is reached, as far as the container tells. */
export function checkMemory(guardPercent: number, directory?: string, score: number = ownScore()): Finding {
  const name = 'memory limit';
  const memory = GroupMemory.find(directory);
  if (!memory) return { name, ok: true, detail: 'none is set for this container' };
  const limit = `${Math.round(memory.limit / 1024 ** 2)} MiB`;
  if (guardPercent > 0) {
    return { name, ok: true, detail: `${limit}: the largest command is ended at ${guardPercent} % (SVC_MEMORY_GUARD)` };
  }
  if (memory.isKilledWhole) {
    const detail = `${limit}: a kill for memory ends the whole container (memory.oom.group)`;
    return { name, ok: false, detail, hint: `${GUARD_HINT}, or singleProcessOOMKill: true for the kubelet` };
  }
  if (score > SCORE_MAX - COMMANDS_SCORE) {
    const detail = `${limit}: the kernel may end services before commands (oom_score_adj ${score})`;
    return { name, ok: false, detail, hint: `${GUARD_HINT}, or requests equal to limits, the class Guaranteed` };
  }
  return { name, ok: true, detail: `${limit}: the kernel ends commands first` };
}

function ownScore(): number {
  try {
    return Number(readFileSync('/proc/self/oom_score_adj', 'latin1'));
  } catch {
    return 0;
  }
}

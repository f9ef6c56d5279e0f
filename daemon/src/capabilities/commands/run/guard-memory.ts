import type { Core } from '../../../core/core.ts';
import { GroupMemory } from '../../../core/memory/group-memory.ts';
import { type Guarded, MemoryGuard } from '../../../core/memory/memory-guard.ts';
import type { CommandStore } from '../store/command-store.ts';
import type { Command } from './command.ts';

/**
 * Ends the largest command when the memory that the option names is in use; undefined: it is off.
 * @param directory where the control group of this container is mounted
 */
export function guardMemory(core: Core, store: CommandStore, directory?: string): MemoryGuard | undefined {
  const { config, logger, metrics } = core;
  if (config.memoryGuard === 0) return undefined;
  let kills = 0;
  metrics.gauge('memory_guard_kills', 'Commands that the memory guard has ended since the start.', () => kills);
  const memory = GroupMemory.find(directory);
  if (!memory) {
    logger.warn('SVC_MEMORY_GUARD has no effect: the container has no memory limit');
    return undefined;
  }
  const guarded = (command: Command): Guarded[] => {
    const { target } = command;
    if (target === undefined || target.pid === 0 || command.record.guardedProgram !== undefined) return [];
    const end: Guarded['end'] = async ({ program }) => {
      kills += 1;
      store.update(command, { guardedProgram: program });
      await core.processes.signal([target], 'SIGKILL');
      await command.ended;
    };
    return [{ pid: target.pid, end }];
  };
  return new MemoryGuard({
    memory,
    part: config.memoryGuard / 100,
    running: () => [...store.running].flatMap(guarded),
    logger,
  });
}

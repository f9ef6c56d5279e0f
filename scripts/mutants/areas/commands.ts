import type { MutantArea } from '../mutant.ts';

export const COMMANDS: MutantArea = {
  name: 'commands',
  tests: ['daemon/src/capabilities/commands'],
  mutants: [
    {
      id: 'retention-keeps-one-less',
      file: 'daemon/src/capabilities/commands/store/retention.ts',
      text: 'ended.length - index > maxRecords',
      replacement: 'ended.length - index >= maxRecords',
    },
    {
      id: 'eviction-takes-running-commands',
      file: 'daemon/src/capabilities/commands/store/retention.ts',
      text: 'if (command.isRunning || command.output.retainedBytes === 0) continue;',
      replacement: 'if (command.output.retainedBytes === 0) continue;',
    },
    {
      id: 'idempotency-key-ignores-body',
      file: 'daemon/src/capabilities/commands/store/idempotency.ts',
      text: 'if (known.bodyHash !== bodyHash) {',
      replacement: 'if (known.bodyHash.length !== bodyHash.length) {',
    },
    {
      id: 'ceiling-admits-one-more',
      file: 'daemon/src/capabilities/commands/run/command-starter.ts',
      text: 'return this.#store.running.size + this.#starting.size < this.#maxRunning;',
      replacement: 'return this.#store.running.size + this.#starting.size <= this.#maxRunning;',
    },
    {
      id: 'concurrent-calls-of-one-key',
      file: 'daemon/src/capabilities/commands/run/command-starter.ts',
      text: 'this.#keyed.set(key, start);',
      replacement: '',
    },
    {
      id: 'follow-loses-held-stderr',
      file: 'daemon/src/capabilities/commands/output/follow.ts',
      text: 'for (const reader of [readers.stdout, readers.stderr]) {',
      replacement: 'for (const reader of [readers.stdout]) {',
    },
    {
      id: 'hard-timeout-begins-anew',
      file: 'daemon/src/capabilities/commands/run/track-process.ts',
      text: 'return Math.min(Math.max(hardTimeout - passed, 0), hardTimeout);',
      replacement: 'return hardTimeout;',
    },
    {
      id: 'hard-timeout-never-kills',
      file: 'daemon/src/capabilities/commands/run/track-process.ts',
      text: 'endProcesses(processes, () =>',
      replacement: `endProcesses({
    signal: (all) => processes.signal(all, 'SIGTERM'),
    living: (all) => processes.living(all),
  }, () =>`,
    },
    {
      id: 'command-of-another-session',
      file: 'daemon/src/capabilities/commands/command-service.ts',
      text: 'if (record.sessionId === sessionId) return record;',
      replacement: 'if (record.sessionId !== undefined) return record;',
    },
    {
      id: 'own-kill-is-a-lack-of-memory',
      file: 'daemon/keeper/oom.c',
      text: 'return candidate && now > mark->before;',
      replacement: 'return (candidate || now >= 0) && now > mark->before;',
    },
    {
      id: 'end-is-forgotten-before-it-is-written',
      file: 'daemon/src/capabilities/commands/run/track-process.ts',
      text: 'else store.onceWritten(acknowledge);',
      replacement: 'else setImmediate(acknowledge);',
    },
    {
      id: 'stdin-waits-for-a-silent-keeper',
      file: 'daemon/src/core/process/stdin/stdin-pipe.ts',
      text: 'await this.#check();',
      replacement: '',
    },
  ],
};

import type { MutantArea } from '../mutant.ts';

const CODE = 'daemon/src/capabilities/code';

export const CODE_CELLS: MutantArea = {
  name: 'code',
  tests: [CODE],
  mutants: [
    {
      id: 'timeout-does-not-interrupt',
      file: `${CODE}/execution/run-cell.ts`,
      text: 'if (isOver) await interrupt(interpreter, ending);',
      replacement: '',
    },
    {
      id: 'ninth-one-off-runs',
      file: `${CODE}/run/one-offs.ts`,
      text: 'readonly #slots = new Slots(ONE_OFFS);',
      replacement: 'readonly #slots = new Slots(ONE_OFFS + 1);',
    },
    {
      id: 'busy-session-is-reaped',
      file: `${CODE}/session/session-tables.ts`,
      text: 'if (!isLeased && session.running === undefined && ',
      replacement: 'if (',
    },
    {
      id: 'cell-ends-before-idle',
      file: `${CODE}/kernel/running-cell.ts`,
      text: 'if (this.#isIdle && this.#end) this.#done();',
      replacement: 'if (this.#end) this.#done();',
    },
    {
      id: 'outputs-come-twice-after-a-restart',
      file: `${CODE}/runtime/after-first.ts`,
      text: 'if (left.others < 0) sink.write(event);',
      replacement: 'sink.write(event);',
    },
    {
      id: 'unsigned-message-is-taken',
      file: `${CODE}/kernel/protocol/message.ts`,
      text: 'if (signature.length !== wanted.length || !timingSafeEqual(signature, wanted)) return undefined;',
      replacement: '',
    },
    {
      id: 'ended-cell-of-a-record-is-lost',
      file: `${CODE}/kernel/running-cell.ts`,
      text: 'if (!record?.isEnded) return;',
      replacement: 'return;',
    },
    {
      id: 'zygote-of-old-packages-forks',
      file: `${CODE}/kernel/zygote/zygote.ts`,
      text: 'known?.fingerprint === python.fingerprint && ',
      replacement: 'known && ',
    },
    {
      id: 'one-off-leaves-its-process',
      file: `${CODE}/code-service.ts`,
      text: `    this.#core.activity.note('cell');
    await place.leave();`,
      replacement: `    this.#core.activity.note('cell');`,
    },
    {
      id: 'fork-has-the-status-of-wait',
      file: `${CODE}/runtime/own-forks.ts`,
      text: 'exitCode: status >> 8',
      replacement: 'exitCode: status',
    },
    {
      id: 'output-goes-on-after-the-note',
      file: `${CODE}/execution/output-limits.ts`,
      text: 'this.#isFull = true;',
      replacement: '',
    },
    {
      id: 'session-of-another-kernel-is-used',
      file: `${CODE}/session/session-service.ts`,
      text: '      requireSame(known, served);\n',
      replacement: '',
    },
  ],
};

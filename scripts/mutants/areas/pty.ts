import type { MutantArea } from '../mutant.ts';

export const PTY: MutantArea = {
  name: 'pty',
  tests: ['daemon/src/capabilities/pty'],
  mutants: [
    {
      id: 'refused-command-blocks-queue',
      file: 'daemon/src/capabilities/pty/exec/exec-queue.ts',
      text: 'void before.then(turn.resolve);',
      replacement: '',
    },
    {
      id: 'silence-reported-as-running',
      file: 'daemon/src/capabilities/pty/exec/exec-queue.ts',
      text: "status: 'no_change_timeout' }",
      replacement: "status: 'running' }",
    },
    {
      id: 'hard-timeout-after-the-call-is-lost',
      file: 'daemon/src/capabilities/pty/exec/exec-queue.ts',
      text: `#endLate(run: ExecRun, { hardTimeout }: ExecRequest): void {
    if (hardTimeout === undefined) return;`,
      replacement: `#endLate(run: ExecRun, { hardTimeout, timeout }: ExecRequest): void {
    if (hardTimeout === undefined || timeout !== undefined) return;`,
    },
    {
      id: 'newest-session-is-evicted',
      file: 'daemon/src/capabilities/pty/capacity.ts',
      text: 'one.usedAt - other.usedAt',
      replacement: 'other.usedAt - one.usedAt',
    },
    {
      id: 'watched-session-is-evicted',
      file: 'daemon/src/capabilities/pty/capacity.ts',
      text: '!session.record.named && session.attached === 0 && !session.busy',
      replacement: '!session.record.named && !session.busy',
    },
    {
      id: 'readonly-viewer-resizes',
      file: 'daemon/src/capabilities/pty/viewer/viewer.ts',
      text: `      case 'resize':
        this.#requireWriter();
`,
      replacement: `      case 'resize':
`,
    },
    {
      id: 'replay-loses-cut-character',
      file: 'daemon/src/capabilities/pty/viewer/viewer.ts',
      text: 'offset: at - cut',
      replacement: 'offset: at',
    },
    {
      id: 'mark-cut-near-its-start',
      file: 'daemon/src/capabilities/pty/exec/marks.ts',
      text: 'all.length - 6',
      replacement: 'all.length - 4',
    },
  ],
};

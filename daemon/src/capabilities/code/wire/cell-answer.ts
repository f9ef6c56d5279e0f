import { answerOfDone, crowdedText } from '../../../core/answers/done-work.ts';
import type { CellReport } from '../execution/cell-report.ts';
import type { Output } from '../runtime/output.ts';

/** Lines of a traceback, and characters of each, while there is no memory for the whole answer. */
const LINES = 20;
const LINE = 200;

/** The answer that `build` makes of the report of a cell that has run; without its larger outputs if memory is short. */
export function cellAnswer<T>(report: CellReport, build: (report: CellReport) => T): T {
  return answerOfDone(report, shortened, build);
}

function shortened(report: CellReport): CellReport {
  const { executionId, code, outputs, warnings } = report;
  const [stdout, stderr] = [crowdedText(report.stdout), crowdedText(report.stderr)];
  const streams = (
    [
      ['stdout', stdout],
      ['stderr', stderr],
    ] as const
  ).flatMap(([name, text]): Output[] => (text === '' ? [] : [{ type: 'stream', name, text }]));
  const errors = outputs.flatMap((output) => (output.type === 'error' ? [shortError(output)] : []));
  const note = `outputs are cut, because answers that clients have not read take too much memory: GET /v2/code/executions/${executionId} has them`;
  return {
    ...report,
    code: crowdedText(code),
    outputs: [...streams, ...errors.slice(-1)],
    stdout,
    stderr,
    warnings: [...warnings, note],
  };
}

function shortError({ ename, evalue, traceback }: Extract<Output, { type: 'error' }>): Output {
  const lines = traceback.slice(-LINES).map((line) => crowdedText(line, LINE));
  return { type: 'error', ename: crowdedText(ename), evalue: crowdedText(evalue), traceback: lines };
}

/** The part of vitest's JSON report that is read here. */
export interface Report {
  readonly success: boolean;
  readonly testResults: readonly {
    /** An absolute path. */
    readonly name: string;
    readonly status: string;
    readonly message: string;
    /** Milliseconds. */
    readonly startTime: number;
    readonly endTime: number;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

interface FileRecord {
  runs: number;
  failed: number;
  slowestMs: number;
}

/** What became of each test file in several runs. */
export class FileRecords {
  readonly #files = new Map<string, FileRecord>();
  readonly #failures: string[] = [];

  /** One line for each failure, in the order in which they came. */
  get failures(): readonly string[] {
    return this.#failures;
  }

  /** @param report undefined where the run left none */
  add(run: number, report: Report | undefined, nameOf: (path: string) => string): void {
    if (report === undefined) this.#failures.push(`run ${run}: ended without a report`);
    else if (report.testResults.length === 0) this.#failures.push(`run ${run}: no test ran`);
    const before = this.#failures.length;
    for (const result of report?.testResults ?? []) this.#addFile(run, nameOf(result.name), result);
    const isSilent = report?.success === false && report.testResults.length > 0 && this.#failures.length === before;
    if (isSilent) this.#failures.push(`run ${run}: failed without a failed test`);
  }

  /** A line for each file. */
  table(): string[] {
    const width = Math.max(4, ...[...this.#files.keys()].map((name) => name.length));
    const line = (name: string, runs: unknown, failed: unknown, slowest: string): string =>
      `${name.padEnd(width)}${String(runs).padStart(6)}${String(failed).padStart(8)}${slowest.padStart(10)}`;
    const rows = [...this.#files].map(([name, { runs, failed, slowestMs }]) =>
      line(name, runs, failed, `${(slowestMs / 1000).toFixed(1)} s`),
    );
    return [line('file', 'runs', 'failed', 'slowest'), ...rows.sort()];
  }

  #addFile(run: number, file: string, result: Report['testResults'][number]): void {
    const record = this.#files.get(file) ?? { runs: 0, failed: 0, slowestMs: 0 };
    this.#files.set(file, record);
    const failed = result.assertionResults.filter(({ status }) => status === 'failed');
    record.runs += 1;
    record.slowestMs = Math.max(record.slowestMs, result.endTime - result.startTime);
    if (result.status !== 'failed' && failed.length === 0) return;
    record.failed += 1;
    const lines = failed.map(({ fullName, failureMessages: [message] }) => `${fullName}: ${firstLine(message)}`);
    if (lines.length === 0) lines.push(firstLine(result.message));
    this.#failures.push(...lines.map((line) => `run ${run}: ${file} > ${line}`));
  }
}

function firstLine(message = ''): string {
  return message.trim().split('\n', 1)[0] || 'no message';
}

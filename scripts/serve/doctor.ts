import { execFile } from 'node:child_process';
import process from 'node:process';

/** Limit for the doctor's answer, with room for a busy machine. */
const PATIENCE_MS = 20_000;

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail?: string;
  readonly hint?: string | null;
}

/** Missing requirements by the daemon's doctor, one line each with the remedy. Empty without a doctor. */
export function missingParts(command: readonly string[], signal: AbortSignal): Promise<string[]> {
  const [program = process.execPath, ...args] = command;
  return new Promise((resolve) => {
    // The doctor exits non-zero if something is missing; its output is valid all the same.
    execFile(program, args, { signal, timeout: PATIENCE_MS }, (_error, stdout) => resolve(linesOf(stdout)));
  });
}

function linesOf(json: string): string[] {
  let report: { checks?: Check[] };
  try {
    report = JSON.parse(json);
  } catch {
    return [];
  }
  return (report.checks ?? []).filter(({ ok }) => !ok).map(lineOf);
}

function lineOf({ name, detail, hint }: Check): string {
  return [`missing ${name}`, detail && `: ${detail}`, hint && `; ${hint}`].filter(Boolean).join('');
}

import { execFile } from 'node:child_process';
import process from 'node:process';

/** A doctor that takes longer is not waited for; one on a busy machine is. */
const PATIENCE_MS = 20_000;

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail?: string;
  readonly hint?: string | null;
}

/** What the daemon's doctor finds missing, one line each with how to get it. Empty where there is no doctor to ask. */
export function missingParts(command: readonly string[], signal: AbortSignal): Promise<string[]> {
  const [program = process.execPath, ...args] = command;
  return new Promise((resolve) => {
    // The doctor may exit non-zero when something is missing: what it printed counts.
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

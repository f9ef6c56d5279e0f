import { randomUUID } from 'node:crypto';
import type { AgeClock } from '../../core/clock/age-clock.ts';
import type { Finding } from '../../core/finding.ts';
import { probeProcess } from '../../core/process/probe-process.ts';
import type { ShellLauncher } from './session/shell-launcher.ts';
import { newRecord } from './session-terms.ts';
import type { TerminalHost } from './tmux/tmux.ts';

const PROBE_OUTPUT_BYTES = 65_536;

/** Runs tty(1) in a real terminal of the process host. */
export async function probeTerminal(
  processes: TerminalHost,
  launcher: ShellLauncher,
  clock: AgeClock,
): Promise<Finding> {
  try {
    const record = newRecord('probe', { command: 'tty' }, launcher.directory(undefined, undefined), clock);
    const { spec } = launcher.prepare(randomUUID(), record);
    const exitCode = await probeProcess(processes, { ...spec, outputMaxBytes: PROBE_OUTPUT_BYTES });
    return { name: 'terminals', ok: exitCode === 0, detail: `a terminal ended with ${exitCode}` };
  } catch (error) {
    return { name: 'terminals', ok: false, detail: String(error), hint: 'sandboxd doctor says what is missing' };
  }
}

import { constants } from 'node:os';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';

/** The signals this system knows: `SIGHUP`, `SIGINT`, … */
export const SIGNAL_NAMES: readonly NodeJS.Signals[] = Object.keys(constants.signals).filter(isSignal);

/** 'TERM', 'SIGTERM', 'sigterm', 15 and '15' are 'SIGTERM'; undefined if the signal does not exist. */
export function normalizeSignal(signal: string | number): NodeJS.Signals | undefined {
  const text = String(signal).trim().toUpperCase();
  if (/^\d+$/.test(text)) return SIGNAL_NAMES.find((name) => constants.signals[name] === Number(text));
  const name = text.startsWith('SIG') ? text : `SIG${text}`;
  return isSignal(name) ? name : undefined;
}

/** As `normalizeSignal`. @throws SandboxError `invalid` if the signal does not exist */
export function requireSignal(signal: string): NodeJS.Signals {
  const name = normalizeSignal(signal);
  if (name === undefined) throw new SandboxError('invalid', `unknown signal: ${signal}`);
  return name;
}

/** `SIG` and the number for real-time signals, which have no name here. */
export function signalName(value: number): string {
  return SIGNAL_NAMES.find((name) => constants.signals[name] === value) ?? `SIG${value}`;
}

function isSignal(name: string): name is NodeJS.Signals {
  return Object.hasOwn(constants.signals, name);
}

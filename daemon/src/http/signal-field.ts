import { constants } from 'node:os';
import { z } from 'zod';
import { normalizeSignal, SIGNAL_NAMES } from '../core/process/signals.ts';

const NAMES = SIGNAL_NAMES.flatMap((name) => [name, name.slice('SIG'.length)]);
const NUMBERS = [...new Set(SIGNAL_NAMES.map((name) => constants.signals[name]))].sort((a, b) => a - b);

/** A signal by name or number: SIGTERM, TERM or 15. */
export function signalField(preset: NodeJS.Signals) {
  return z
    .union([z.string().meta({ enum: [...NAMES, ...NUMBERS.map(String)] }), z.int().meta({ enum: NUMBERS })])
    .default(preset)
    .transform((signal, context) => {
      const name = normalizeSignal(signal);
      if (name !== undefined) return name;
      context.addIssue({ code: 'custom', message: `unknown signal: ${signal}` });
      return z.NEVER;
    })
    .meta({ description: `Name or number: ${preset}, ${preset.slice('SIG'.length)} or ${constants.signals[preset]}.` });
}

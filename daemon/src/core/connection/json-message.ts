import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { exactText, hasLoneSurrogate } from '@sandbox/program/exact-text.ts';
import { jsonExcess } from '@sandbox/program/json-shape.ts';

/**
 * The JSON object of a client's message; undefined if it is anything else.
 * @throws SandboxError `invalid` for a string that is not Unicode text
 */
export function jsonMessage(bytes: Buffer): Record<string, unknown> | undefined {
  if (bytes[0] !== 0x7b && !/^\s*\{/.test(bytes.toString('latin1', 0, 64))) return undefined;
  const text = exactText(bytes);
  if (text === undefined || jsonExcess(text) !== undefined) return undefined;
  const value = parsed(text);
  if (typeof value !== 'object' || value === null) return undefined;
  if (hasLoneSurrogate(text, value)) {
    throw new SandboxError('invalid', 'the message has half of a surrogate pair, which is not Unicode text');
  }
  return value as Record<string, unknown>;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { bytesOfBase64 } from './base64.ts';

/** The bytes of the field `input`. @throws SandboxError `invalid` if it is not in its encoding */
export function inputBytes({ input, encoding }: { readonly input: string; readonly encoding: string }): Buffer {
  const bytes = encoding === 'base64' ? bytesOfBase64(input) : Buffer.from(input);
  if (bytes !== undefined) return bytes;
  throw new SandboxError('invalid', 'is not base64', { field: 'input', hint: 'without encoding it is read as UTF-8' });
}

import { readFileSync } from 'node:fs';
import type { ByteName } from './byte-name.ts';

export interface Mount {
  readonly at: ByteName;
  /** The type of the file system, such as `overlay`. */
  readonly type: string;
}

/** The mounts that this process sees, the latest last (proc_pid_mountinfo(5)); undefined without /proc. */
export function mountsNow(): Mount[] | undefined {
  let text: string;
  try {
    text = readFileSync('/proc/self/mountinfo', 'latin1');
  } catch {
    return undefined;
  }
  const lines = text.trimEnd().split('\n');
  return lines.map((line) => {
    const fields = line.split(' ');
    return { at: decoded(fields[4] ?? ''), type: fields[fields.indexOf('-') + 1] ?? '' };
  });
}

/** Bytes that would end a field are three octal digits. */
function decoded(field: string): ByteName {
  return field.replaceAll(/\\([0-7]{3})/g, (_all, octal) => String.fromCharCode(Number.parseInt(octal, 8)));
}

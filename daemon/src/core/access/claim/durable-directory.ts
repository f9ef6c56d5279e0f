import { readFileSync } from 'node:fs';

/**
 * Whether a path is on a mount of its own, which outlives the container. Without /proc (proc_pid_mountinfo(5)) it counts
 * as one: there is no container then.
 */
export function isMounted(path: string): boolean {
  const mounts = mountsNow();
  return mounts === undefined || mounts.some(({ at }) => at !== '/' && (path === at || path.startsWith(`${at}/`)));
}

/** Whether a path is in the file system of this container, which no other one sees. */
export function isOfContainer(path: string): boolean {
  const root = mountsNow()?.findLast(({ at }) => at === '/');
  return root?.type === 'overlay' && !isMounted(path);
}

interface Mount {
  readonly at: string;
  readonly type: string;
}

function mountsNow(): Mount[] | undefined {
  let text: string;
  try {
    text = readFileSync('/proc/self/mountinfo', 'latin1');
  } catch {
    return undefined;
  }
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' '));
  return lines.map((fields) => ({ at: decoded(fields[4] ?? ''), type: fields[fields.indexOf('-') + 1] ?? '' }));
}

/** Bytes that would end a field are three octal digits. */
function decoded(text: string): string {
  const octal = (_all: string, digits: string): string => String.fromCharCode(Number.parseInt(digits, 8));
  return Buffer.from(text.replaceAll(/\\([0-7]{3})/g, octal), 'latin1').toString('utf8');
}

const PREFIX = '.svc-upload-';
const SUFFIX = '.part';

/** The name of an unfinished file or directory beside its target. @param id hexadecimal */
export function partName(id: string): string {
  return `${PREFIX}${id}${SUFFIX}`;
}

/** Whether an entry of this name is unfinished: no watcher reports it. */
export function isPartName(name: string): boolean {
  return name.startsWith(PREFIX) && name.endsWith(SUFFIX);
}

/** The id in the name of a part; undefined for another name. */
export function partIdOf(name: string): string | undefined {
  return isPartName(name) ? name.slice(PREFIX.length, -SUFFIX.length) : undefined;
}

import { byteNameOf } from '../../files/byte-name.ts';
import { mountsNow } from '../../files/mounts.ts';

/** Whether a path is on a mount of its own, which outlives the container. Returns true without /proc. */
export function isMounted(path: string): boolean {
  const name = byteNameOf(path);
  const mounts = mountsNow();
  return mounts === undefined || mounts.some(({ at }) => at !== '/' && (name === at || name.startsWith(`${at}/`)));
}

/** Whether a path is in the file system of this container, which no other one sees. */
export function isOfContainer(path: string): boolean {
  const root = mountsNow()?.findLast(({ at }) => at === '/');
  return root?.type === 'overlay' && !isMounted(path);
}

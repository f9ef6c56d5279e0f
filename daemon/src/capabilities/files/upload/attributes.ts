import { extendedAttributes } from '../../../core/files/extended-attributes.ts';
import { attributesUnsupported, systemCodeOf } from '../../../core/files/file-failure.ts';

type Attributes = ReadonlyMap<string, Buffer> | undefined;

/** @throws FileFailure `unsupported` if there are attributes and this machine cannot set them */
export function requireAttributes(attributes: Attributes, shown: string): void {
  if (attributes === undefined || attributes.size === 0 || extendedAttributes()) return;
  throw attributesUnsupported('this machine cannot set extended attributes', 'upload', shown);
}

/** Sets attributes of a file that has no name yet. @throws FileFailure `unsupported` if its file system has none */
export function setAttributes(descriptor: number, shown: string, attributes: Attributes): void {
  for (const [name, value] of attributes ?? []) {
    try {
      extendedAttributes()?.set(descriptor, name, value);
    } catch (error) {
      if (systemCodeOf(error) !== 'ENOTSUP' && systemCodeOf(error) !== 'EOPNOTSUPP') throw error;
      throw attributesUnsupported('the file system keeps no extended attributes', 'upload', shown);
    }
  }
}

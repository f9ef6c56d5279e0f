import { type Unzipped, unzipSync } from 'fflate';
import { DocumentFault } from './document-task.ts';

/** Bytes of all parts together, when they are unpacked. */
const UNPACKED_BYTES = 64 * 1024 ** 2;

/**
 * The XML parts of an Office document. A part is unpacked into as many bytes as its entry says, so that no entry can
 * take more.
 * @throws DocumentFault if it is not such an archive, or its parts are too large
 */
export function unzipXml(bytes: Uint8Array): Unzipped {
  let left = UNPACKED_BYTES;
  const filter = ({ name, originalSize }: { name: string; originalSize: number }): boolean => {
    if (!/\.(?:xml|rels)$/i.test(name)) return false;
    left -= originalSize;
    if (left < 0) throw new DocumentFault(`its parts are over ${UNPACKED_BYTES} bytes when they are unpacked`);
    return true;
  };
  try {
    return unzipSync(bytes, { filter });
  } catch (error) {
    if (error instanceof DocumentFault) throw error;
    throw new DocumentFault('it is not a valid Office document');
  }
}

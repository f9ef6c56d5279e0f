const BYTES = 'application/octet-stream';

/**
 * The content type of a file, an archive or a picture: bytes for a client that accepts nothing else. Generators of
 * clients know no type of every picture and archive.
 */
export function bytesType(accept: string | undefined, type: string): string {
  return accept === BYTES ? BYTES : type;
}

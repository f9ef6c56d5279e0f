import type { IncomingMessage } from 'node:http';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { extendedAttributes } from '../../../core/files/extended-attributes.ts';
import type { FilePath } from '../../../core/files/file-path.ts';

/** Names of the extended attributes that are metadata of E2B. */
const NAMESPACE = 'user.e2b.';
const HEADER = 'x-metadata-';
const KEY_BYTES_MAX = 246;
/** Bytes of all keys with their namespace, and of all values, of one file. */
const METADATA_BYTES_MAX = 4096;
const PRINTABLE = /^[\x20-\x7e]*$/;

export type Metadata = Readonly<Record<string, string>>;

/**
 * The metadata in the headers `X-Metadata-<key>` of an upload; of a header that is repeated the first one counts.
 * @throws SandboxError `invalid` over the limits of envd
 */
export function metadataOf({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): Metadata {
  const metadata = new Map<string, string>();
  let bytes = 0;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    const key = name.slice(HEADER.length).toLowerCase();
    if (name.slice(0, HEADER.length).toLowerCase() !== HEADER || metadata.has(key)) continue;
    if (key === '' || key.length > KEY_BYTES_MAX) {
      throw new SandboxError('invalid', `a metadata key has 1 to ${KEY_BYTES_MAX} bytes, this one ${key.length}`);
    }
    if (!PRINTABLE.test(key) || !PRINTABLE.test(value)) {
      throw new SandboxError('invalid', `metadata must be printable ASCII: ${JSON.stringify(key)}`);
    }
    bytes += sizeOf(key, value);
    metadata.set(key, value);
  }
  if (bytes <= METADATA_BYTES_MAX) return Object.fromEntries(metadata);
  throw new SandboxError('invalid', `the metadata of a file has at most ${METADATA_BYTES_MAX} bytes, these ${bytes}`);
}

/** The extended attributes that keep it. */
export function attributesOf(metadata: Metadata): ReadonlyMap<string, Buffer> {
  return new Map(Object.entries(metadata).map(([key, value]) => [`${NAMESPACE}${key}`, Buffer.from(value)]));
}

/** The metadata of a file or directory; none if it cannot be read, or is more than an upload may have. */
export function readMetadata(path: FilePath): Metadata {
  const attributes = extendedAttributes();
  if (!attributes) return {};
  const metadata = new Map<string, string>();
  let bytes = 0;
  try {
    for (const name of attributes.names(path)) {
      if (!name.startsWith(NAMESPACE)) continue;
      const value = attributes.value(path, name)?.toString();
      if (value === undefined) continue;
      const key = name.slice(NAMESPACE.length);
      bytes += sizeOf(key, value);
      if (bytes > METADATA_BYTES_MAX) return {};
      metadata.set(key, value);
    }
  } catch {
    // It was removed meanwhile, or its account may not read it.
    return {};
  }
  return Object.fromEntries(metadata);
}

function sizeOf(key: string, value: string): number {
  return NAMESPACE.length + key.length + value.length;
}

import { extendedAttributes } from '../../core/files/extended-attributes.ts';

/** The version of envd whose features are all served here: 0.6.2 has file metadata, which needs extended attributes. */
export function envdVersion(): string {
  return extendedAttributes() ? '0.6.4' : '0.6.1';
}

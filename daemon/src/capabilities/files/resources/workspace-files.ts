import { isUtf8 } from 'node:buffer';
import { realpathSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { runBelow } from '../../../core/access/caller.ts';
import { shownPath } from '../../../core/files/file-path.ts';
import {
  PART_BYTES,
  type ResourceContent,
  type ResourceSource,
  requireOffset,
} from '../../../core/resources/resource.ts';
import type { FileService } from '../file-service.ts';
import type { BytesRead } from '../read/read.ts';

const TEXT = 'text/plain; charset=utf-8';
const BYTES = 'application/octet-stream';
/** Bytes of the longest character of UTF-8 less one, which the end of a part may cut. */
const CUT_BYTES = 3;

/** The files below the home of the account of commands, without those whose names begin with a dot. */
export function workspaceFiles(files: FileService): ResourceSource {
  const home = (): string => shownPath(files.paths.of({ path: '~' }, 'list'));
  return {
    prefix: 'file://',
    templates: [
      {
        uriTemplate: 'file://{+path}{?offset}',
        name: 'workspace file',
        description: `A file below the home, ${PART_BYTES} bytes from offset on.`,
      },
    ],
    list: async (cursor, limit) => {
      const request = { path: home(), recursive: true, showHidden: false, cursor, limit };
      const includes = ({ stats }: { readonly stats: { isFile(): boolean } }): boolean => stats.isFile();
      const { entries, cursor: next } = await files.list({ ...request, includes });
      const resources = entries.map(({ path, stats }) => {
        const shown = shownPath(path);
        return { uri: pathToFileURL(shown).href, name: shown.slice(home().length + 1), size: stats.size };
      });
      return { resources, next };
    },
    read: async (uri) => {
      const offset = requireOffset(uri);
      const path = pathOf(uri);
      if (path === undefined || !path.startsWith(`${home()}/`)) {
        throw new SandboxError('invalid', `is no file below ${home()}`, {
          field: 'uri',
          hint: 'sandbox_file_operations reads files elsewhere',
        });
      }
      // A link that leads elsewhere is refused.
      const read = (): Promise<BytesRead> => files.readBytes(path, { offset, length: PART_BYTES });
      const { bytes, size } = await runBelow(realpathSync(home()), read);
      return content(uri.href, bytes, offset, size);
    },
  };
}

function pathOf({ href }: URL): string | undefined {
  try {
    const path = fileURLToPath(href.split('?', 1)[0] ?? '');
    return path.includes('\0') ? undefined : path;
  } catch {
    return undefined;
  }
}

/** A character that the end of the part cuts belongs to the next part. */
function content(uri: string, bytes: Buffer, offset: number, size: number): ResourceContent {
  const isLast = offset + bytes.length >= size;
  const lengths = isLast ? [bytes.length] : [0, 1, 2, CUT_BYTES].map((cut) => bytes.length - cut);
  const whole = lengths.find((length) => length >= 0 && isUtf8(bytes.subarray(0, length)));
  const isText = whole !== undefined && !bytes.includes(0);
  const next = offset + (isText ? whole : bytes.length);
  const _meta = { size, ...(next < size && { next_offset: next }) };
  if (isText) return { uri, mimeType: TEXT, text: bytes.subarray(0, whole).toString(), _meta };
  return { uri, mimeType: BYTES, blob: bytes.toString('base64'), _meta };
}

import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { ResourceContent, ResourcePage, ResourceSource } from '../../core/resources/resource.ts';

/** Resources of one page. */
const PAGE = 100;

/** The resources of all capabilities, those of one after those of another. */
export class Resources {
  readonly #sources: readonly ResourceSource[];

  constructor(sources: readonly ResourceSource[]) {
    this.#sources = sources;
  }

  get templates(): ResourceSource['templates'] {
    return this.#sources.flatMap(({ templates }) => templates);
  }

  /** @throws ProtocolError `InvalidParams` for a cursor that no page gave */
  async list(cursor: string | undefined): Promise<{ resources: ResourcePage['resources']; nextCursor?: string }> {
    const [at, own] = cursor === undefined ? [0, undefined] : placeOf(cursor);
    const source = this.#sources[at];
    if (source === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, WRONG_CURSOR);
    const { resources, next } = await asProtocol(() => source.list(own, PAGE));
    if (next !== undefined) return { resources, nextCursor: cursorOf(at, next) };
    return at + 1 < this.#sources.length ? { resources, nextCursor: cursorOf(at + 1) } : { resources };
  }

  /** @throws ProtocolError that says what is wrong, and the next step */
  async read(uri: string, gone: AbortSignal): Promise<{ contents: ResourceContent[] }> {
    const source = this.#sources.find(({ prefix }) => uri.startsWith(prefix));
    if (source === undefined || !URL.canParse(uri)) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        'Resource not found: resources/list and resources/templates/list name those there are',
        {
          uri,
        },
      );
    }
    return { contents: [await asProtocol(() => source.read(new URL(uri), gone))] };
  }
}

const WRONG_CURSOR = 'cursor is none of a page: begin without one';

function cursorOf(at: number, own?: string): string {
  return Buffer.from(JSON.stringify([at, own])).toString('base64url');
}

function placeOf(cursor: string): readonly [number, string | undefined] {
  try {
    const [at, own] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Number.isSafeInteger(at) && (own === null || typeof own === 'string')) return [at, own ?? undefined];
  } catch {
    // Said below.
  }
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, WRONG_CURSOR);
}

async function asProtocol<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    const { hint } = error.details;
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      hint === undefined ? error.message : `${error.message} (${hint})`,
    );
  }
}

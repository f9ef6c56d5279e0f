import { SandboxError } from '@sandbox/api/sandbox-error.ts';

/** A resource of the Model Context Protocol as a list names it. */
interface ListedResource {
  readonly uri: string;
  readonly name: string;
  readonly mimeType?: string;
  /** Bytes. */
  readonly size?: number;
}

/** How clients make URIs of resources (RFC 6570). */
interface ResourceTemplate {
  readonly uriTemplate: string;
  readonly name: string;
  readonly description: string;
}

export interface ResourcePage {
  readonly resources: readonly ListedResource[];
  /** Begins the next page; undefined on the last one. */
  readonly next: string | undefined;
}

/** One part of a resource: text, or other bytes in base64. */
export type ResourceContent = {
  readonly uri: string;
  readonly mimeType: string;
  /** What the part does not show: how large the whole is, and where the next part begins. */
  readonly _meta: Readonly<Record<string, unknown>>;
} & ({ readonly text: string } | { readonly blob: string });

/** Resources of one kind. */
export interface ResourceSource {
  /** What their URIs begin with. */
  readonly prefix: string;
  readonly templates: readonly ResourceTemplate[];
  /** @param cursor `next` of the page before */
  readonly list: (cursor: string | undefined, limit: number) => Promise<ResourcePage>;
  /** @throws SandboxError */
  readonly read: (uri: URL, gone: AbortSignal) => Promise<ResourceContent>;
}

/** Bytes of one part. */
export const PART_BYTES = 256 * 1024;

/** Where the part of a URI begins: its query `offset`. @throws SandboxError `invalid` */
export function requireOffset({ searchParams }: URL): number {
  const given = searchParams.get('offset') ?? '0';
  if (/^\d{1,15}$/.test(given)) return Number(given);
  throw new SandboxError('invalid', 'has an offset that is not a number of bytes', {
    field: 'uri',
    hint: '_meta.next_offset of the part before is the offset of the next one; without one a read begins at 0',
  });
}

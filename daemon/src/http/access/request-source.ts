import type { FastifyRequest } from 'fastify';
import type { RequestSource } from '../../core/access/caller.ts';

/** Characters of what a client calls itself. */
const LABEL_MAX = 64;
const CONTROLS = /\p{Cc}/gu;

/** The configuration of the routes of a foreign protocol. */
interface OfProtocol {
  readonly protocol: string;
}

/** By what a request was sent. */
export function sourceOf({ routeOptions: { config, url = '' }, headers }: FastifyRequest): RequestSource {
  return {
    protocol: 'protocol' in config ? (config as OfProtocol).protocol : surfaceOf(url),
    claimed: labelOf(headers['x-actor']),
  };
}

function surfaceOf(url: string): string {
  if (url === '/mcp' || url === '/v1/mcp') return 'mcp';
  return url.startsWith('/v1/') ? 'v1' : 'v2';
}

function labelOf(header: string | string[] | undefined): string | null {
  const text = header?.toString().replaceAll(CONTROLS, '').trim() ?? '';
  return text === '' ? null : text.slice(0, LABEL_MAX);
}

import { GATEWAY_PATHS, portOfOpenPreview } from '@sandbox/program/pages.ts';
import { publicHost, publicScheme } from './app-headers.ts';
import type { Exchange } from './exchange.ts';

/** Whether the request is for `/open/{port}`. */
export function isOpenPreview({ target }: Exchange): boolean {
  return portOfOpenPreview(target.path) !== undefined;
}

/** The path of the preview that `/open/{port}` leads to where the preview has no host of its own. */
export function previewPath({ target }: Exchange): string {
  return `${GATEWAY_PATHS.preview}/${portOfOpenPreview(target.path) ?? ''}/`;
}

/**
 * The origin of the preview that `/open/{port}` leads to; undefined if it has no host of its own.
 * `3000.localhost` resolves without configuration; for any other host such names may not exist.
 */
export function previewOrigin(exchange: Exchange): string | undefined {
  const port = portOfOpenPreview(exchange.target.path);
  const host = publicHost(exchange);
  if (port === undefined || !/^localhost(:\d+)?$/i.test(host)) return undefined;
  return `${publicScheme(exchange)}://${port}.${host.toLowerCase()}`;
}

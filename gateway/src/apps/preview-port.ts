import type { Exchange } from '../exchange/exchange.ts';
import { PORT_FIELDS, publicHost } from '../exchange/own-headers.ts';

/** A request for what listens on a port inside the sandbox. */
export interface PreviewTarget {
  /** As it was written; undefined where that is no port. */
  readonly port: number | undefined;
  /** How it was asked for. `path` and `absolute` share the gateway's origin. */
  readonly form: 'path' | 'absolute' | 'host' | 'field';
  /** What precedes the application's own paths: `/proxy/3000`, `/absproxy/3000`, or nothing. */
  readonly prefix: string;
  /** The path as the application gets it. */
  readonly path: string;
  /** What the daemon judges: a path below the prefix that the credentials of this port are good for. */
  readonly judged: string;
}

const PORT = /^[1-9]\d{0,4}$/;
/** `3000.localhost` and `3000-name`, with or without the port of the gateway. */
const LABEL = /^(\d{1,10})(?:-[a-z0-9][^:]*|\.localhost\.?)(?::\d+)?$/i;
const PREFIX = /^(\/(?:abs)?proxy\/([^/]*))(.*)$/s;

/** A preview by a field or by the host, which come before every path of the gateway's own. */
export function previewByName(exchange: Exchange): PreviewTarget | undefined {
  const { headers } = exchange.req;
  const field = headers[PORT_FIELDS[0]] ?? headers[PORT_FIELDS[1]];
  if (field !== undefined) return named('field', String(field).trim(), exchange);
  const host = publicHost(exchange);
  const first = host.charCodeAt(0);
  if (first < 48 || first > 57) return undefined;
  const label = LABEL.exec(host)?.[1];
  return label === undefined ? undefined : named('host', label, exchange);
}

function named(form: 'host' | 'field', text: string, { target }: Exchange): PreviewTarget {
  const port = portOf(text);
  return { port, form, prefix: '', path: target.path, judged: `/proxy/${port ?? '-'}${target.raw}` };
}

/** A preview by its path; undefined where no port stands in it. */
export function previewByPath({ target }: Exchange): PreviewTarget | undefined {
  const [, prefix = '', text = '', rest = ''] = PREFIX.exec(target.path) ?? [];
  if (prefix === '') return undefined;
  const absolute = prefix.startsWith('/abs');
  const path = absolute ? target.path : rest;
  return { port: portOf(text), form: absolute ? 'absolute' : 'path', prefix, path, judged: target.raw };
}

function portOf(text: string): number | undefined {
  const port = Number(text);
  return PORT.test(text) && port <= 65_535 ? port : undefined;
}

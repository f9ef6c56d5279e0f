import { PORT_HEADERS, publicHost } from '../exchange/app-headers.ts';
import type { Exchange } from '../exchange/exchange.ts';

/** A request for a port inside the sandbox. */
export interface PreviewTarget {
  /** Undefined if the text is not a port number from 1 to 65535. */
  readonly port: number | undefined;
  /** How the request selects the port. `path` and `absolute` share the gateway's origin. */
  readonly form: 'path' | 'absolute' | 'host' | 'header';
  /** Path prefix of the application: `/proxy/3000`, `/absproxy/3000`, or empty. */
  readonly prefix: string;
  /** The path that is sent to the application. */
  readonly path: string;
  /** The target of the access decision: a path below the prefix that the credentials of this port are valid for. */
  readonly authTarget: string;
}

const PORT = /^[1-9]\d{0,4}$/;
/** `3000.localhost` and `3000-name`, with or without the gateway's port. */
const LABEL = /^(\d{1,10})(?:-[a-z0-9][^:]*|\.localhost\.?)(?::\d+)?$/i;
const PREFIX = /^(\/(?:abs)?proxy\/([^/]*))(.*)$/s;

/** A preview selected by header or host, which take precedence over the gateway's own paths. */
export function previewByName(exchange: Exchange): PreviewTarget | undefined {
  const { headers } = exchange.req;
  const field = headers[PORT_HEADERS[0]] ?? headers[PORT_HEADERS[1]];
  if (field !== undefined) return selected('header', String(field).trim(), exchange);
  const host = publicHost(exchange);
  const first = host.charCodeAt(0);
  if (first < 48 || first > 57) return undefined;
  const label = LABEL.exec(host)?.[1];
  return label === undefined ? undefined : selected('host', label, exchange);
}

function selected(form: 'host' | 'header', text: string, { target }: Exchange): PreviewTarget {
  const port = portOf(text);
  return { port, form, prefix: '', path: target.path, authTarget: `/proxy/${port ?? '-'}${target.raw}` };
}

/** A preview selected by path; undefined if the path has no port segment. */
export function previewByPath({ target }: Exchange): PreviewTarget | undefined {
  const [, prefix = '', text = '', rest = ''] = PREFIX.exec(target.path) ?? [];
  if (prefix === '') return undefined;
  const absolute = prefix.startsWith('/abs');
  const path = absolute ? target.path : rest;
  return { port: portOf(text), form: absolute ? 'absolute' : 'path', prefix, path, authTarget: target.raw };
}

function portOf(text: string): number | undefined {
  const port = Number(text);
  return PORT.test(text) && port <= 65_535 ? port : undefined;
}

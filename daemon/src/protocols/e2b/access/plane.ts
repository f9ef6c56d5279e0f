import type { ProtocolRequest } from '../../../http/protocols/protocol.ts';

const ENVD_PORT = '49983';
const INTERPRETER_PORT = '49999';

/** Which of E2B's services a request is for. */
type Plane = 'envd' | 'interpreter' | 'control';

export interface Addressed {
  readonly plane: Plane;
  /** The sandbox that the request names. */
  readonly sandboxId: string | undefined;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
}

const HOST_LABEL = /^(\d{1,5})-([a-z0-9][a-z0-9-]{0,62})(?:[.:]|$)/i;
const ENVD_PATH =
  /^\/(?:health|init|envs|metrics|files(?:\/compose)?|process\.Process\/\w+|filesystem\.Filesystem\/\w+)$/;
const INTERPRETER_PATH = /^\/(?:execute|contexts(?:\/.*)?)$/;

/** By the header of the clients first, then by host, then by path. */
export function addressOf({ req: { headers }, host, target }: ProtocolRequest): Addressed {
  const at = target.indexOf('?');
  const path = at < 0 ? target : target.slice(0, at);
  const query = new URLSearchParams(at < 0 ? '' : target.slice(at + 1));
  const [, labelPort, labelId] = HOST_LABEL.exec(host) ?? [];
  const port = textOf(headers['e2b-sandbox-port']) ?? labelPort;
  const sandboxId = textOf(headers['e2b-sandbox-id']) ?? labelId?.toLowerCase();
  return { plane: planeOf(port, path), sandboxId, path, query };
}

function planeOf(port: string | undefined, path: string): Plane {
  if (port === ENVD_PORT) return 'envd';
  if (port === INTERPRETER_PORT) return 'interpreter';
  if (ENVD_PATH.test(path)) return 'envd';
  return INTERPRETER_PATH.test(path) ? 'interpreter' : 'control';
}

function textOf(header: string | string[] | undefined): string | undefined {
  const value = Array.isArray(header) ? header[0] : header;
  return value === undefined || value === '' ? undefined : value;
}

/** A message of JSON-RPC 2.0, as the Model Context Protocol uses it. */
export interface Message {
  readonly jsonrpc: '2.0';
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A message that wants an answer. */
export interface Request extends Message {
  readonly id: string | number;
  readonly method: string;
}

export const INVALID_REQUEST = -32_600;
export const PARSE_ERROR = -32_700;
/** Of the range that JSON-RPC leaves to servers. */
export const UNAVAILABLE = -32_000;

export function isMessage(value: unknown): value is Message {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { jsonrpc, id, method } = value as Record<string, unknown>;
  const hasMethod = method === undefined || typeof method === 'string';
  const hasId = id === undefined || typeof id === 'string' || typeof id === 'number';
  return jsonrpc === '2.0' && hasMethod && hasId && !(method === undefined && id === undefined);
}

export function isRequest(message: Message): message is Request {
  return message.id !== undefined && message.method !== undefined;
}

export function errorMessage(id: string | number | null, code: number, message: string): object {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

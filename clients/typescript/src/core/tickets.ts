import type { Transport } from './transport.ts';

export interface TicketOptions {
  /** Seconds, at most 3600; default 30. */
  readonly ttl?: number | undefined;
  /** Default 1. */
  readonly uses?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Ticket {
  readonly ticket: string;
  readonly expiresAt: Date;
  /** The address that it opens, for a link or a WebSocket. */
  readonly url: string;
}

/** A ticket that stands for the key at a path and below it. */
export async function createTicket(transport: Transport, path: string, options: TicketOptions): Promise<Ticket> {
  const { ttl, uses, signal } = options;
  const json = { path_prefix: path, ttl, uses };
  const call = { method: 'POST', json, signal, repeatable: true } as const;
  const { ticket, expires_at } = await transport.data('/v2/tickets', 'Ticket', call);
  const url = new URL(transport.settings.base + path);
  url.searchParams.set('ticket', ticket);
  return { ticket, expiresAt: new Date(expires_at), url: url.href };
}

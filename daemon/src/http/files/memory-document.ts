import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { shareBytes } from '../answers/bound-answers.ts';
import { judgeConditions } from './conditional.ts';

interface Made {
  readonly bytes: Buffer;
  readonly etag: string;
}

/**
 * A document that stays the same as long as the daemon runs. It is made at the first request and sent from memory, so
 * that many requests for it, also without a key, cost no serialization.
 */
export class MemoryDocument {
  readonly #type: string;
  readonly #make: () => string | Promise<string>;
  #made: Promise<Made> | undefined;

  /** @param type the Content-Type */
  constructor(type: string, make: () => string | Promise<string>) {
    this.#type = type;
    this.#make = make;
  }

  /** Sends it, or 304 to a client that has it. */
  async send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    this.#made ??= this.#serialize();
    const { bytes, etag } = await this.#made;
    void reply.headers({ etag, 'cache-control': 'private, no-cache' });
    const condition = request.headers['if-none-match'];
    const isKnown =
      condition !== undefined && judgeConditions(request.headers, { etag, modified: START }).status === 304;
    return isKnown ? reply.code(304).send() : reply.type(this.#type).send(bytes);
  }

  async #serialize(): Promise<Made> {
    try {
      const bytes = Buffer.from(await this.#make());
      shareBytes(bytes);
      return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
    } catch (error) {
      this.#made = undefined;
      throw error;
    }
  }
}

const START = new Date();

import type { MutantArea } from '../mutant.ts';

export const HTTP: MutantArea = {
  name: 'http',
  tests: ['daemon/src/http'],
  mutants: [
    {
      id: 'ticket-creates-tickets',
      file: 'daemon/src/http/access/gate.ts',
      text: 'if (needsKey) return {};',
      replacement: '',
    },
    {
      id: 'cookie-without-origin-check',
      file: 'daemon/src/http/access/gate.ts',
      text: "if (valid.by === 'cookie' && !isPublic) {",
      replacement: "if (valid.by === 'cookie' && isPublic) {",
    },
    {
      id: 'secure-cookie-by-untrusted-peer',
      file: 'daemon/src/http/access/gate.ts',
      text: "request.fromTrustedProxy && request.headers['x-forwarded-proto']",
      replacement: "request.headers['x-forwarded-proto']",
    },
    {
      id: 'untrusted-forwarded-host',
      file: 'daemon/src/http/access/gate.ts',
      text: "fromTrustedProxy ? headers['x-forwarded-host'] : undefined",
      replacement: "headers['x-forwarded-host']",
    },
    {
      id: 'range-beyond-the-end',
      file: 'daemon/src/http/files/ranges.ts',
      text: 'Math.min(size, Number(last) + 1)',
      replacement: 'Number(last) + 1',
    },
    {
      id: 'chunked-body-without-bound',
      file: 'api/src/http/body.ts',
      text: 'if (length <= limit) received',
      replacement: 'if (length <= 2 * limit) received',
    },
    {
      id: 'answered-pings-count-as-missed',
      file: 'daemon/src/http/streams/websocket-port.ts',
      text: 'this.#unanswered = 0;',
      replacement: '',
    },
    {
      id: 'paused-socket-stays-paused',
      file: 'daemon/src/http/streams/websocket-port.ts',
      text: 'if (!this.#connection.isPaused || this.#pending > PENDING_BYTES) return;',
      replacement: 'if (!this.#connection.isPaused || this.#pending >= 0) return;',
    },
    {
      id: 'stream-ignores-backpressure',
      file: 'daemon/src/http/streams/send-stream.ts',
      text: 'if (!raw.write(chunk)) await drained(raw, gone.signal);',
      replacement: 'raw.write(chunk);',
    },
    {
      id: 'key-compared-byte-by-byte',
      file: 'daemon/src/http/access/api-key.ts',
      text: 'return timingSafeEqual(this.#hash(candidate), this.#digest);',
      replacement: 'return candidate === this.#key;',
    },
  ],
};

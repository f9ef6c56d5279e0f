const HEADER = /^Content-Length: (\d+)\r\n\r\n/;
const HEADER_MOST_BYTES = 64;

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** A client of the Language Server Protocol 3.17, §Base Protocol: any byte that is lost or doubled is an exception. */
export class LanguageClient {
  /** Answers of the server. */
  answers = 0;
  readonly #write: (bytes: Buffer) => void;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #nextId = 1;
  #pieces: Buffer[] = [];
  #length = 0;
  /** Bytes that the message at the front takes; undefined: its header is not complete. */
  #needed: number | undefined;

  constructor(write: (bytes: Buffer) => void) {
    this.#write = write;
  }

  request(method: string, params: unknown): Promise<unknown> {
    const id = this.#nextId++;
    const answer = Promise.withResolvers<unknown>();
    this.#waiting.set(id, answer);
    this.#send({ id, method, params });
    return answer.promise;
  }

  notify(method: string, params: unknown): void {
    this.#send({ method, params });
  }

  take(bytes: Buffer): void {
    this.#pieces.push(bytes);
    this.#length += bytes.length;
    while (this.#length >= (this.#needed ?? 1)) {
      const all = Buffer.concat(this.#pieces);
      this.#pieces = [all];
      const [header, length] = HEADER.exec(all.toString('latin1', 0, HEADER_MOST_BYTES)) ?? [];
      if (header === undefined) {
        if (all.length > HEADER_MOST_BYTES) throw new Error(`not a header: ${all.toString('latin1', 0, 100)}`);
        return;
      }
      this.#needed = header.length + Number(length);
      if (all.length < this.#needed) return;
      this.#pieces = [all.subarray(this.#needed)];
      this.#length -= this.#needed;
      const body = all.toString('utf8', header.length, this.#needed);
      this.#needed = undefined;
      this.#receive(JSON.parse(body));
    }
  }

  #receive({ id, method, result, error }: Message): void {
    // The server asks for configuration and registers what it watches.
    if (method !== undefined) {
      if (id !== undefined) this.#send({ id, result: null });
      return;
    }
    const waiting = this.#waiting.get(Number(id));
    if (waiting === undefined) throw new Error(`an answer to ${id}, which was not requested or was answered before`);
    this.#waiting.delete(Number(id));
    this.answers += 1;
    if (error === undefined) waiting.resolve(result);
    else waiting.reject(new Error(JSON.stringify(error)));
  }

  #send(message: object): void {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
    this.#write(Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]));
  }
}

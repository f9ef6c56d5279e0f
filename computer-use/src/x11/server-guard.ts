import type { XClient } from 'x11';
import { PacketCheck } from './packet-check.ts';
import { SetupCheck } from './setup-check.ts';

/** Bytes from which a read is the last of its turn of the event loop: a flood takes turns with everything else. */
const READ_MAX = 16 * 1024;

/** Checks what a server sends before the package reads it; its parser trusts every number. */
export class ServerGuard {
  readonly packets: PacketCheck;
  /** Fires when the server has sent what no sound one sends, or what the package cannot read. */
  readonly broken: AbortSignal;
  readonly #breaking = new AbortController();
  readonly #client: XClient;
  #setup: SetupCheck | undefined = new SetupCheck();

  /** @param client without a connection so far */
  constructor(client: XClient) {
    this.#client = client;
    this.broken = this.#breaking.signal;
    this.packets = new PacketCheck(() => client.seq_num);
    const { init } = client;
    client.init = (stream) => {
      init.call(client, stream);
      const parser = client.pack_stream;
      const write = parser.write.bind(parser);
      parser.write = (bytes) => this.#pass(bytes, write);
    };
  }

  #pass(bytes: Buffer, write: (bytes: Buffer) => void): void {
    if (this.broken.aborted) return;
    try {
      const sound = this.#sound(bytes);
      if (sound.length > 0) write(sound);
    } catch (error) {
      this.#client.stream.destroy();
      this.#breaking.abort(error);
      return;
    }
    if (bytes.length < READ_MAX) return;
    this.#client.stream.pause();
    setImmediate(() => this.#client.stream.resume());
  }

  #sound(bytes: Buffer): Buffer {
    if (this.#setup === undefined) {
      this.packets.take(bytes);
      return bytes;
    }
    const whole = this.#setup.take(bytes);
    if (whole === undefined) return Buffer.alloc(0);
    this.#setup = undefined;
    this.packets.take(whole.rest);
    return Buffer.concat([whole.setup, whole.rest]);
  }
}

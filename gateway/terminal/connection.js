import { socketUrl } from './api.js';

/** Bytes drawn after which the service is told, so that it never gets far ahead of a slow screen. */
const ACK_BYTES = 128 * 1024;
const FIRST_DELAY_MS = 250;
const LAST_DELAY_MS = 5000;
/** Bytes typed without a connection that are kept for it. */
const TYPED_BYTES = 4096;
/** The session is not there (any more). */
const NOT_FOUND = 4404;

/** One session on one screen: it reconnects and goes on at the byte where it was cut. */
export class Connection {
  #id;
  #terminal;
  #tell;
  #socket;
  #offset;
  #drawn = 0;
  #told = 0;
  #delay = FIRST_DELAY_MS;
  #timer;
  #over = false;
  #ready = false;
  #typed = [];

  /** @param tell gets the state in words, and whether the session is over */
  constructor(id, terminal, tell) {
    this.#id = id;
    this.#terminal = terminal;
    this.#tell = tell;
    this.#connect();
  }

  /** What comes while there is no connection follows when there is one. */
  type(bytes) {
    if (this.#ready) this.#socket.send(bytes);
    else if (!this.#over && this.#typed.length + bytes.length <= TYPED_BYTES) this.#typed.push(...bytes);
  }

  resize({ cols, rows }) {
    this.#say({ type: 'resize', cols, rows });
  }

  close() {
    this.#over = true;
    clearTimeout(this.#timer);
    this.#socket.close();
  }

  #connect() {
    const socket = new WebSocket(socketUrl(this.#id, this.#offset));
    socket.binaryType = 'arraybuffer';
    socket.onmessage = ({ data }) => {
      if (typeof data === 'string') this.#onMessage(JSON.parse(data));
      else this.#draw(new Uint8Array(data));
    };
    socket.onclose = ({ code }) => this.#onClose(code);
    this.#socket = socket;
  }

  #onMessage(message) {
    switch (message.type) {
      case 'ready':
        this.#moveTo(message.offset);
        this.#delay = FIRST_DELAY_MS;
        this.#tell('', false);
        this.resize(this.#terminal);
        this.#ready = true;
        if (this.#typed.length > 0) this.#socket.send(Uint8Array.from(this.#typed.splice(0)));
        break;
      case 'restore_output':
        this.#terminal.reset();
        this.#terminal.write(message.data);
        break;
      case 'relay_resumed':
        this.#moveTo(message.offset);
        break;
      case 'exit':
        this.#over = true;
        this.#ready = false;
        this.#tell(`ended${message.signal ? ` by ${message.signal}` : ` with ${message.exit_code}`}`, true);
        break;
      case 'error':
        this.#tell(message.data, false);
        break;
      default:
    }
  }

  #draw(bytes) {
    this.#offset += bytes.length;
    this.#terminal.write(bytes, () => {
      this.#drawn += bytes.length;
      if (this.#drawn - this.#told < ACK_BYTES) return;
      this.#told = this.#drawn;
      this.#say({ type: 'ack', offset: this.#drawn });
    });
  }

  #moveTo(offset) {
    this.#offset = offset;
    this.#drawn = offset;
    this.#told = offset;
    this.#say({ type: 'ack', offset });
  }

  #onClose(code) {
    this.#ready = false;
    if (this.#over) return;
    if (code === NOT_FOUND) {
      this.#over = true;
      this.#tell('there is no such session', true);
      return;
    }
    this.#tell('reconnecting…', false);
    this.#timer = setTimeout(() => this.#connect(), this.#delay);
    this.#delay = Math.min(LAST_DELAY_MS, this.#delay * 2);
  }

  #say(message) {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }
}

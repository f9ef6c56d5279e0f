import { socketUrl } from './api.js';
import { OutputFilter } from './terminal-output.js';

/** Bytes drawn between two acknowledgements, which keep the service from sending far ahead of a slow screen. */
const ACK_BYTES = 128 * 1024;
const FIRST_DELAY_MS = 250;
const LAST_DELAY_MS = 5000;
/** Bytes of input that are kept while there is no connection. */
export const QUEUED_BYTES = 4096;
/** Close code: there is no such session. */
const NOT_FOUND = 4404;

/** One session on one screen. It reconnects and goes on at its offset. */
export class Connection {
  #id;
  #terminal;
  #onState;
  #onEnd;
  #socket;
  #offset;
  #drawn = 0;
  #acknowledged = 0;
  #delay = FIRST_DELAY_MS;
  #timer;
  #ended = false;
  #ready = false;
  #queued = [];
  #filter;
  #decoder = new TextDecoder();

  /** @param onState called with the state as text; onEnd once, with the end */
  constructor(id, terminal, { onState, onEnd }) {
    this.#id = id;
    this.#terminal = terminal;
    this.#filter = new OutputFilter(terminal);
    this.#onState = onState;
    this.#onEnd = onEnd;
    this.#connect();
  }

  /** Types bytes; without a connection they are typed once there is one. */
  type(bytes) {
    if (this.#ready) this.#socket.send(bytes);
    else if (!this.#ended && this.#queued.length + bytes.length <= QUEUED_BYTES) this.#queued.push(...bytes);
  }

  resize({ cols, rows }) {
    this.#send({ type: 'resize', cols, rows });
  }

  close() {
    this.#ended = true;
    clearTimeout(this.#timer);
    // The screen is of another session from now on.
    this.#socket.onmessage = null;
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
        this.#onState('');
        this.resize(this.#terminal);
        this.#ready = true;
        if (this.#queued.length > 0) this.#socket.send(Uint8Array.from(this.#queued.splice(0)));
        break;
      case 'restore_output':
        this.#terminal.reset();
        this.#write(message.data);
        break;
      case 'relay_resumed':
        this.#moveTo(message.offset);
        break;
      case 'exit':
        this.#end(endOf(message));
        break;
      case 'error':
        this.#onState(message.data);
        break;
      default:
    }
  }

  #draw(bytes) {
    this.#offset += bytes.length;
    this.#write(this.#decoder.decode(bytes, { stream: true }), () => {
      this.#drawn += bytes.length;
      if (this.#drawn - this.#acknowledged < ACK_BYTES) return;
      this.#acknowledged = this.#drawn;
      this.#send({ type: 'ack', offset: this.#drawn });
    });
  }

  /** Output from outside reaches the terminal in bounds; between two pieces the page draws. */
  #write(text, done) {
    this.#filter.resize(this.#terminal);
    for (const piece of this.#filter.pieces(text)) this.#terminal.write(piece);
    if (done) this.#terminal.write('', done);
  }

  #moveTo(offset) {
    // What follows may not continue the last character or sequence.
    if (offset !== this.#offset) {
      this.#filter.reset();
      this.#decoder = new TextDecoder();
    }
    this.#offset = offset;
    this.#drawn = offset;
    this.#acknowledged = offset;
    this.#send({ type: 'ack', offset });
  }

  #onClose(code) {
    this.#ready = false;
    if (this.#ended) return;
    if (code === NOT_FOUND) {
      this.#end({ text: 'there is no such session', isGone: true, isUnknown: true });
      return;
    }
    this.#onState('reconnecting…');
    this.#timer = setTimeout(() => this.#connect(), this.#delay);
    this.#delay = Math.min(LAST_DELAY_MS, this.#delay * 2);
  }

  #end(end) {
    this.#ended = true;
    this.#ready = false;
    this.#onEnd(end);
  }

  #send(message) {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }
}

/** Without a code and a signal the terminal was lost with the service. */
function endOf({ exit_code: code, signal }) {
  if (signal) return { text: `ended by ${signal}` };
  return Number.isInteger(code) ? { text: `ended with ${code}` } : { text: 'ended', isGone: true };
}

import { once } from 'node:events';
import dbus, { type DBusConnection, type Message } from 'dbus-native';

const METHOD_CALL = 1;
const METHOD_RETURN = 2;
const ERROR = 3;
const NO_REPLY_EXPECTED = 1;

const REGISTRY = { destination: 'org.a11y.atspi.Registry', path: '/org/a11y/atspi/accessible/root' };
const BUS = { destination: 'org.freedesktop.DBus', path: '/org/freedesktop/DBus', interface: 'org.freedesktop.DBus' };

export const ROOT = REGISTRY.path;

/** A reply: its signature and its values. */
export type Reply = readonly [signature: string, ...body: unknown[]];

/** What a program is asked. */
export interface Question {
  readonly path: string;
  readonly member: string;
  /** The unique name of the program that is asked. */
  readonly self: string;
}

/** Undefined: no reply, ever. An error is sent as one. */
export type Answer = (question: Question) => Reply | Error | undefined;

/** A program on the accessibility bus that answers what a test says, right or wrong. */
export class BusProgram implements AsyncDisposable {
  readonly #connection: DBusConnection;
  readonly #replies = new Map<number, (body: readonly unknown[]) => void>();
  readonly #answer: Answer;
  #serial = 0;
  #name = '';

  private constructor(connection: DBusConnection, answer: Answer) {
    this.#connection = connection;
    this.#answer = answer;
    connection.on('message', (message) => this.#receive(message));
    connection.on('error', () => connection.stream.destroy());
  }

  /** Connects and enters the list of the programs of the display. */
  static async start(sessionBus: string, answer: Answer): Promise<BusProgram> {
    await using session = dbus.createClient({ busAddress: sessionBus });
    const launcher = { destination: 'org.a11y.Bus', path: '/org/a11y/bus', interface: 'org.a11y.Bus' };
    const busAddress = String(await session.invoke({ ...launcher, member: 'GetAddress' }));
    const program = new BusProgram(dbus.createConnection({ busAddress }), answer);
    [program.#name = ''] = (await program.#call({ ...BUS, member: 'Hello' })) as [string];
    const embed = { ...REGISTRY, interface: 'org.a11y.atspi.Socket', member: 'Embed', signature: '(so)' };
    await program.#call({ ...embed, body: [[program.#name, ROOT]] });
    return program;
  }

  /** The unique name of its connection. */
  get name(): string {
    return this.#name;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { stream } = this.#connection;
    if (stream.destroyed) return;
    const closed = once(stream, 'close');
    stream.destroy();
    await closed;
  }

  #call(message: Message): Promise<readonly unknown[]> {
    const { promise, resolve } = Promise.withResolvers<readonly unknown[]>();
    this.#replies.set(this.#send({ ...message, type: METHOD_CALL }), resolve);
    return promise;
  }

  #send(message: Message): number {
    this.#serial += 1;
    this.#connection.message({ ...message, serial: this.#serial });
    return this.#serial;
  }

  #receive(message: Message): void {
    const { type, replySerial = 0, serial = 0, sender = '', flags = 0 } = message;
    if (type === METHOD_RETURN) this.#replies.get(replySerial)?.(message.body ?? []);
    if (type !== METHOD_CALL || (flags & NO_REPLY_EXPECTED) !== 0) return;
    const reply = this.#answer({ path: message.path ?? '', member: message.member ?? '', self: this.#name });
    if (reply === undefined) return;
    const to = { destination: sender, replySerial: serial };
    if (reply instanceof Error) {
      const errorName = 'org.freedesktop.DBus.Error.Failed';
      this.#send({ ...to, type: ERROR, errorName, signature: 's', body: [reply.message] });
    } else {
      const [signature, ...body] = reply;
      this.#send({ ...to, type: METHOD_RETURN, ...(signature && { signature, body }) });
    }
  }
}

/** The bits of `active`, `enabled`, `sensitive`, `showing` and `visible`. */
const SHOWN = [1, 8, 24, 25, 30].reduce((bits, bit) => bits + 2 ** bit, 0);
const APPLICATION = 75;
const FRAME = 23;

/** A program with one window of that name, which answers as it should. */
export function wellMade(name: string): Answer {
  return ({ path, member, self }) => {
    const isRoot = path === ROOT;
    const parent = ['(so)', isRoot ? [REGISTRY.destination, ROOT] : [self, ROOT]];
    const properties = { Name: ['s', name], Description: ['s', ''], ChildCount: ['i', isRoot ? 1 : 0], Parent: parent };
    switch (member) {
      case 'GetAll':
        return ['a{sv}', Object.entries(properties)];
      case 'GetRole':
        return ['u', isRoot ? APPLICATION : FRAME];
      case 'GetState':
        return ['au', [SHOWN, 0]];
      case 'GetChildren':
        return ['a(so)', isRoot ? [[self, `${ROOT}/window`]] : []];
      case 'GetExtents':
        return ['(iiii)', [1, 2, 300, 200]];
      default:
        return new Error(`no method ${member}`);
    }
  };
}

import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import dbus, { type MessageBus } from 'dbus-native';

/** An object of a program on the bus: the unique name of its connection, and a path. */
export interface ObjectAddress {
  readonly sender: string;
  readonly path: string;
}

export interface BusCall extends ObjectAddress {
  readonly interface: string;
  readonly member: string;
  readonly signature?: string;
  readonly body?: readonly unknown[];
}

/** Milliseconds for the answers of the session bus and of the launcher of the accessibility bus. */
const CONNECT_MS = 10_000;
/** Bytes of one message; a program that sends a longer one ends the connection. */
const MAX_MESSAGE = 8 * 1024 * 1024;

const HINT = 'in the desktop image, set ENABLE_DBUS=true; elsewhere, run the worker in a session with a message bus';

/** One life of the connection; names and paths of another life mean other objects. */
export interface BusSession {
  readonly bus: MessageBus;
  readonly isOpen: () => boolean;
}

/**
 * The connection to the accessibility bus (AT-SPI), which the session bus names. It connects at the first call and
 * again at the first call after its end.
 */
export class AccessibilityBus implements AsyncDisposable {
  readonly #address: string | undefined;
  #session: Promise<BusSession> | undefined;
  #isDisposed = false;

  /** @param address of the session bus, as in DBUS_SESSION_BUS_ADDRESS */
  constructor(address: string | undefined) {
    this.#address = address;
  }

  /** @throws SandboxError if there is no bus */
  async session(): Promise<BusSession> {
    const current = await this.#session?.catch(ignore);
    if (current?.isOpen()) return current;
    if (this.#isDisposed) throw unavailable('the worker ends');
    this.#session = this.#connect();
    this.#session.catch(ignore);
    return this.#session;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    const session = await this.#session?.catch(ignore);
    await session?.bus.close();
  }

  async #connect(): Promise<BusSession> {
    if (!this.#address) throw unavailable('no D-Bus session bus is running');
    const session = open(this.#address);
    try {
      const address = await session.bus.invoke(request('org.a11y.Bus', '/org/a11y/bus', 'org.a11y.Bus', 'GetAddress'));
      await askForAccessibility(session.bus);
      return open(String(address));
    } catch (error) {
      throw unavailable('the session bus names no accessibility bus', error);
    } finally {
      void session.bus.close();
    }
  }
}

function open(busAddress: string): BusSession {
  let isOpen = true;
  const bus = dbus.createClient({ busAddress, timeout: CONNECT_MS, maxMessageSize: MAX_MESSAGE });
  bus.connection.on('close', () => {
    isOpen = false;
  });
  // Calls fail with the end of the connection, and report its fault.
  bus.connection.on('error', () => bus.connection.stream.destroy());
  bus.connection.on('handlerError', ignore);
  return { bus, isOpen: () => isOpen };
}

/** Chromium and Qt show their content only while the property says that a reader is there. */
async function askForAccessibility(bus: MessageBus): Promise<void> {
  await bus.invoke({
    ...request('org.a11y.Bus', '/org/a11y/bus', 'org.freedesktop.DBus.Properties', 'Set'),
    signature: 'ssv',
    body: ['org.a11y.Status', 'IsEnabled', ['b', true]],
  });
}

function request(destination: string, path: string, name: string, member: string) {
  return { destination, path, interface: name, member };
}

/**
 * The answer of one call.
 * @param ms how long to wait for it
 * @throws DBusError
 */
export async function callObject(bus: MessageBus, call: BusCall, ms: number): Promise<unknown> {
  const { sender, path, interface: name, member, signature, body } = call;
  const message = { ...request(sender, path, name, member), ...(signature && { signature, body: [...(body ?? [])] }) };
  return bus.invoke(message, { timeout: Math.max(Math.ceil(ms), 1) });
}

function unavailable(why: string, cause?: unknown): SandboxError {
  return new SandboxError('unavailable', `accessibility is not available: ${why}`, { hint: HINT, cause });
}

/** The answer to a caller whose calls the end of the bus ended. */
export function closedBus(cause: unknown): SandboxError {
  return new SandboxError('unavailable', 'the accessibility bus went away', { hint: 'call again', cause });
}

/** How a call failed. */
export type CallFailure = 'gone' | 'silent' | 'closed' | 'refused';

/** `gone`: the object or its program; `silent`: no answer in time; `closed`: the bus; `refused`: the program's word. */
export function failureOf(error: unknown): CallFailure {
  if (error instanceof dbus.TimeoutError) return 'silent';
  if (error instanceof dbus.ConnectionClosedError) return 'closed';
  const name = error instanceof dbus.DBusError ? (error.dbusName ?? '') : '';
  // Sent by the bus for a program that ended or does not read, and by programs for an object that is no more.
  if (name.endsWith('.NoReply')) return 'gone';
  if (/\.(?:ServiceUnknown|NameHasNoOwner|UnknownObject|UnknownMethod|UnknownInterface|Disconnected)$/.test(name)) {
    return 'gone';
  }
  return 'refused';
}

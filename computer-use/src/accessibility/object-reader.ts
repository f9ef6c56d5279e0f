import { type BusCall, type BusSession, callObject, failureOf, type ObjectAddress } from './accessibility-bus.ts';
import type { Bounds, UnreadNode } from './node.ts';
import { hasState, roleName } from './vocabulary.ts';

/** Longest name, description or value in UTF-16 units; the rest is cut. */
const MAX_TEXT = 4_096;
/** Children of one object; of a list or table with more, the first ones are read child by child. */
const MAX_CHILDREN = 1_000;
/**
 * The names that the bus gives to connections, and the paths of objects (D-Bus Specification, "Valid Names"). A call to
 * anything else has the bus end the connection of the caller.
 */
const UNIQUE_NAME = /^:[\w-]+(?:\.[\w-]+)+$/;
const OBJECT_PATH = /^\/(?:\w+(?:\/\w+)*)?$/;
/** Characters of a name, by the specification, and of a path, by this program, which keeps the paths of nodes. */
const MAX_NAME = 255;
const MAX_PATH = 1_024;
/** A coordinate of what has no place on the display: a menu item that is not open. */
const NOWHERE = -(2 ** 31);

const NULL_PATH = '/null';
/** The one role that has no parent. */
const DESKTOP_FRAME = 14;

const TEXT_ROLES = new Set(['entry', 'text', 'password text', 'editbar', 'autocomplete', 'terminal']);
export const NUMBER_ROLES: ReadonlySet<string> = new Set([
  ...['spin button', 'slider', 'progress bar', 'level bar', 'scroll bar', 'dial', 'rating'],
]);

export interface ObjectFacts {
  readonly role: string;
  readonly name: string;
  readonly description: string;
  readonly states: readonly number[];
  readonly childCount: number;
  /** Whether it is on its way out: programs keep objects for a while that no window has any more. */
  readonly isGone: boolean;
}

/** The program of an object did not answer in time. */
export class SilentProgram extends Error {}

/**
 * The answer of a program, or undefined if it refuses or the object is gone.
 * @throws SilentProgram
 * @throws ConnectionClosedError
 */
export async function unlessRefused<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof SilentProgram || failureOf(error) === 'closed') throw error;
    return undefined;
  }
}

/** The answer of a program, or undefined if it is silent; then `sender` is named in `silent`. */
export async function unlessSilent<T>(answer: Promise<T>, sender: string, silent: string[]): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof SilentProgram)) throw error;
    silent.push(sender);
    return undefined;
  }
}

/** Reads objects of programs until a deadline. Every method rejects with SilentProgram, or with the bus's error. */
export class ObjectReader {
  readonly session: BusSession;
  readonly #deadline: number;
  readonly #silenceMs: number;

  /**
   * @param deadline of all calls, by the clock of `performance`
   * @param silenceMs after which a program counts as silent
   */
  constructor(session: BusSession, deadline: number, silenceMs: number) {
    this.session = session;
    this.#deadline = deadline;
    this.#silenceMs = silenceMs;
  }

  get isLate(): boolean {
    return performance.now() >= this.#deadline;
  }

  async facts(object: ObjectAddress): Promise<ObjectFacts> {
    const accessible = { ...object, interface: 'org.a11y.atspi.Accessible' };
    const [properties, role, states] = await Promise.all([
      this.#call({
        ...object,
        interface: 'org.freedesktop.DBus.Properties',
        member: 'GetAll',
        signature: 's',
        body: [accessible.interface],
      }),
      this.#call({ ...accessible, member: 'GetRole' }),
      this.#call({ ...accessible, member: 'GetState' }),
    ]);
    const given = Object(properties) as Readonly<Record<string, unknown>>;
    const words = Array.isArray(states) ? states.map(Number) : [];
    const isDetached = String(Object(given['Parent'])[1]).endsWith(NULL_PATH) && Number(role) !== DESKTOP_FRAME;
    return {
      role: roleName(Number(role)),
      name: text(given['Name']),
      description: text(given['Description']),
      states: words,
      isGone: isDetached || hasState(words, 'defunct'),
      childCount: Math.max(Math.trunc(Number(given['ChildCount'])) || 0, 0),
    };
  }

  /** Undefined if the object has no place on the display. */
  async bounds(object: ObjectAddress): Promise<Bounds | undefined> {
    const call = { ...object, interface: 'org.a11y.atspi.Component', member: 'GetExtents', signature: 'u', body: [0] };
    const answer = await this.optional(call);
    if (!Array.isArray(answer)) return undefined;
    const [x = 0, y = 0, width = 0, height = 0] = answer.map(Number);
    if (![x, y, width, height].every(Number.isSafeInteger)) return undefined;
    return x === NOWHERE || y === NOWHERE || width <= 0 || height <= 0 ? undefined : { x, y, width, height };
  }

  /** @param limit of children that are worth reading */
  async children(object: ObjectAddress, count: number, limit: number): Promise<UnreadNode[]> {
    if (count === 0) return [];
    const accessible = { ...object, interface: 'org.a11y.atspi.Accessible' };
    if (count <= MAX_CHILDREN) return this.#addresses(await this.#call({ ...accessible, member: 'GetChildren' }));
    const indices = Array.from({ length: Math.min(count, limit, MAX_CHILDREN) }, (_none, index) => index);
    const child = { ...accessible, member: 'GetChildAtIndex', signature: 'i' };
    return this.#addresses(await Promise.all(indices.map((index) => this.optional({ ...child, body: [index] }))));
  }

  /** Text of a field or number of a slider; undefined for other roles. */
  async value(object: ObjectAddress, role: string): Promise<string | undefined> {
    if (TEXT_ROLES.has(role)) {
      const call = { ...object, interface: 'org.a11y.atspi.Text', member: 'GetText', signature: 'ii' };
      const answer = await this.optional({ ...call, body: [0, MAX_TEXT] });
      return answer === undefined ? undefined : text(answer);
    }
    if (!NUMBER_ROLES.has(role)) return undefined;
    const answer = await this.property(object, 'org.a11y.atspi.Value', 'CurrentValue');
    return typeof answer === 'number' ? String(answer) : undefined;
  }

  /** Undefined if the object has no such property. */
  property(object: ObjectAddress, name: string, property: string): Promise<unknown> {
    const interfaceName = 'org.freedesktop.DBus.Properties';
    return this.optional({
      ...object,
      interface: interfaceName,
      member: 'Get',
      signature: 'ss',
      body: [name, property],
    });
  }

  /** The process of a program; undefined if the bus does not know it. */
  async processId(sender: string): Promise<number | undefined> {
    const bus = { sender: 'org.freedesktop.DBus', path: '/org/freedesktop/DBus', interface: 'org.freedesktop.DBus' };
    const call = { ...bus, member: 'GetConnectionUnixProcessID', signature: 's', body: [sender] };
    const answer = await this.optional(call);
    return typeof answer === 'number' ? answer : undefined;
  }

  #addresses(answer: unknown): UnreadNode[] {
    if (!Array.isArray(answer)) return [];
    return answer.slice(0, MAX_CHILDREN).flatMap((item) => {
      const [sender, path] = Array.isArray(item) ? item : [];
      return isName(sender) && isPath(path) ? [{ sender, path, session: this.session }] : [];
    });
  }

  /** The answer, or undefined if the object does not have what is asked. */
  optional(call: BusCall): Promise<unknown> {
    return unlessRefused(this.#call(call));
  }

  async #call(call: BusCall): Promise<unknown> {
    const left = this.#deadline - performance.now();
    if (left <= 0) throw new SilentProgram('the deadline of the reading is over');
    try {
      return await callObject(this.session.bus, call, Math.min(left, this.#silenceMs));
    } catch (error) {
      if (failureOf(error) === 'silent') throw new SilentProgram('no answer', { cause: error });
      throw error;
    }
  }
}

function isName(sender: unknown): sender is string {
  return typeof sender === 'string' && sender.length <= MAX_NAME && UNIQUE_NAME.test(sender);
}

/** Whether it is the path of an object, and not the one that stands for none. */
function isPath(path: unknown): path is string {
  if (typeof path !== 'string' || path.length > MAX_PATH) return false;
  return OBJECT_PATH.test(path) && !path.endsWith(NULL_PATH);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, MAX_TEXT).toWellFormed() : '';
}

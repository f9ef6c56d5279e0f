import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { pollUntil } from '@sandbox/api/wait.ts';
import { type BusCall, callObject, closedBus, failureOf } from './accessibility-bus.ts';
import type { ActiveWindow } from './foreground.ts';
import { goneNode, type KnownNode, type NodeIds } from './node-ids.ts';
import { NUMBER_ROLES, type ObjectFacts, ObjectReader, SilentProgram, unlessRefused } from './object-reader.ts';
import { hasState } from './vocabulary.ts';

/** Milliseconds in which a program has to do what it is asked. */
const CONTROL_MS = 10_000;
/** Milliseconds in which a node has to take the focus, and between two looks. */
const FOCUS_MS = 2_000;
const LOOK_MS = 10;
const CHECK_ROLES = new Set([
  'check box',
  'check menu item',
  'radio button',
  'radio menu item',
  'toggle button',
  'switch',
]);
/** Actions that a node does if the caller names none: of the first that it has. */
const USUAL_ACTIONS = ['click', 'press', 'activate', 'jump', 'toggle', 'open', 'select'];
/** Options of a list that are compared with a value. */
const MAX_OPTIONS = 1_000;
/** Lists within lists in which options are looked for: a combo box has a menu. */
const OPTION_LEVELS = 4;
/** Names that a hint lists, and the characters of each; programs choose them. */
const LISTED = 20;
const LISTED_LENGTH = 80;

interface Option extends KnownNode {
  readonly name: string;
  readonly index: number;
}

/**
 * Changes nodes. Errors of the kinds not_found, invalid and unprocessable mean that nothing was done, except for the
 * one that says that a program did not answer.
 */
export class NodeControl {
  readonly #ids: NodeIds;
  readonly #activeWindow: () => Promise<ActiveWindow | undefined>;

  constructor(ids: NodeIds, activeWindow: () => Promise<ActiveWindow | undefined>) {
    this.#ids = ids;
    this.#activeWindow = activeWindow;
  }

  /** The node, if it is still there. @throws SandboxError */
  check(id: string, reader = readerOf(this.#ids.find(id))): Promise<KnownNode> {
    return answered(async () => {
      await this.#facts(id, reader);
      return this.#ids.find(id);
    });
  }

  focus(id: string): Promise<void> {
    return answered(() => this.#focus(id));
  }

  /**
   * GTK answers success for an action of a disabled widget and does nothing, so such a node is refused.
   * @param action by name; default: the usual one of its role
   */
  invoke(id: string, action?: string): Promise<void> {
    return answered(async () => {
      const node = this.#ids.find(id);
      const { states } = await this.#facts(id, readerOf(node));
      if (!hasState(states, 'sensitive')) throw refused(id, 'is disabled', "wait until its states have 'sensitive'");
      await this.#act(id, node, action);
    });
  }

  /**
   * Writes a text field, moves a slider, checks a box by `true` or `false`, or selects the option of that name.
   * @returns false for a text field without an EditableText interface, as in Chromium: it has the focus then, and typed
   *   text replaces its text
   */
  setValue(id: string, value: string): Promise<boolean> {
    return answered(() => this.#setValue(id, value));
  }

  async #focus(id: string): Promise<void> {
    const node = await this.check(id);
    const done = await change(
      id,
      { ...addressOf(node), interface: 'org.a11y.atspi.Component', member: 'GrabFocus' },
      node,
    );
    if (done !== true) throw refused(id, 'cannot take the focus');
  }

  async #setValue(id: string, value: string): Promise<boolean> {
    const known = this.#ids.find(id);
    const reader = readerOf(known);
    const facts = await this.#facts(id, reader);
    const node = { ...known, session: reader.session };
    if (CHECK_ROLES.has(facts.role)) await this.#setChecked(id, facts, value);
    else if (NUMBER_ROLES.has(facts.role) && (await setNumber(id, node, reader, value))) return true;
    else if (hasState(facts.states, 'editable')) return (await setText(id, node, value)) || this.#takeFocus(id, node);
    else await this.#select(id, node, reader, value);
    return true;
  }

  async #act(id: string, node: KnownNode, action?: string): Promise<void> {
    const names = await this.#actions(node);
    if (names.length === 0) throw refused(id, 'has no action');
    const wanted = action?.toLowerCase();
    const index = wanted === undefined ? usualAction(names) : names.findIndex((name) => name.toLowerCase() === wanted);
    if (index < 0) throw refused(id, `has no action ${action}`, `its actions: ${listed(names)}`);
    const call = { interface: 'org.a11y.atspi.Action', member: 'DoAction', signature: 'i', body: [index] };
    if ((await change(id, { ...addressOf(node), ...call }, node)) !== true) throw refused(id, 'did not do the action');
  }

  /** Keys go to the window in front, so the node has to be in it. */
  async #takeFocus(id: string, node: KnownNode): Promise<false> {
    const [active, processId] = await Promise.all([this.#activeWindow(), readerOf(node).processId(node.sender)]);
    if (active?.processId !== undefined && active.processId !== processId) {
      throw refused(id, 'is written by keys, and its window is not in front', 'bring it there by WINDOW_ACTIVATE');
    }
    await this.focus(id);
    const isFocused = async () => hasState((await this.#facts(id, readerOf(node))).states, 'focused');
    if ((await pollUntil(isFocused, { everyMs: LOOK_MS, ms: FOCUS_MS })) === 'settled') return false;
    throw refused(id, 'does not take the focus');
  }

  async #facts(id: string, reader: ObjectReader): Promise<ObjectFacts> {
    const node = this.#ids.find(id);
    const facts = await unlessRefused(reader.facts(node));
    if (facts?.role === node.role && !facts.isGone) return facts;
    throw goneNode(id);
  }

  async #actions(node: KnownNode): Promise<string[]> {
    const call = { ...addressOf(node), interface: 'org.a11y.atspi.Action', member: 'GetActions' };
    const answer = await readerOf(node).optional(call);
    return Array.isArray(answer) ? answer.map((action) => String(Object(action)[0] ?? '')) : [];
  }

  async #setChecked(id: string, { states }: ObjectFacts, value: string): Promise<void> {
    if (value !== 'true' && value !== 'false') {
      throw new SandboxError('invalid', 'of a node that is checked is true or false', { field: 'value' });
    }
    const isChecked = hasState(states, 'checked') || hasState(states, 'pressed');
    if (isChecked !== (value === 'true')) await this.invoke(id);
  }

  async #select(id: string, node: KnownNode, reader: ObjectReader, value: string): Promise<void> {
    const options = await optionsOf(node, reader);
    const option = options.find(({ name }) => name === value);
    if (!option) {
      if (options.length === 0) throw refused(id, 'has no value that can be set');
      throw refused(id, `has no option ${value}`, `its options: ${listed(options.map(({ name }) => name))}`);
    }
    const select = { interface: 'org.a11y.atspi.Selection', member: 'SelectChild', signature: 'i' };
    const done = await changeIfAble(id, { ...addressOf(node), ...select, body: [option.index] }, node);
    // In Chromium an option is chosen by its own action.
    if (done === undefined) await this.#act(id, option);
    else if (done !== true) throw refused(id, `did not select ${value}`);
  }
}

/** What `act` gives; the silence of a program and the end of the bus become answers to the caller. */
async function answered<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof SilentProgram) throw silent(error);
    if (failureOf(error) === 'closed') throw closedBus(error);
    throw error;
  }
}

function listed(names: readonly string[]): string {
  return names
    .slice(0, LISTED)
    .map((name) => name.slice(0, LISTED_LENGTH).toWellFormed())
    .join(', ');
}

function addressOf({ sender, path }: KnownNode): { sender: string; path: string } {
  return { sender, path };
}

function readerOf({ session }: KnownNode): ObjectReader {
  return new ObjectReader(session, performance.now() + CONTROL_MS, CONTROL_MS);
}

function usualAction(names: readonly string[]): number {
  const lower = names.map((name) => name.toLowerCase());
  const usual = USUAL_ACTIONS.map((name) => lower.indexOf(name)).find((index) => index >= 0);
  return usual ?? 0;
}

/** False if the program has no method for that. */
async function setText(id: string, node: KnownNode, value: string): Promise<boolean> {
  const call = { interface: 'org.a11y.atspi.EditableText', member: 'SetTextContents', signature: 's', body: [value] };
  const done = await changeIfAble(id, { ...addressOf(node), ...call }, node);
  if (done === false) throw refused(id, 'cannot be written');
  return done !== undefined;
}

/** False if the node has no number. */
async function setNumber(id: string, node: KnownNode, reader: ObjectReader, value: string): Promise<boolean> {
  const [least, most] = await Promise.all(
    ['MinimumValue', 'MaximumValue'].map((name) => reader.property(node, 'org.a11y.atspi.Value', name)),
  );
  if (typeof least !== 'number' || typeof most !== 'number') return false;
  const number = value.trim() === '' ? Number.NaN : Number(value);
  if (!Number.isFinite(number) || (least < most && (number < least || number > most))) {
    throw new SandboxError('invalid', `of node ${id} is a number from ${least} to ${most}`, { field: 'value' });
  }
  const call = { interface: 'org.freedesktop.DBus.Properties', member: 'Set', signature: 'ssv' };
  await change(
    id,
    { ...addressOf(node), ...call, body: ['org.a11y.atspi.Value', 'CurrentValue', ['d', number]] },
    node,
  );
  return true;
}

/** The children of a list; those of a combo box are in its menu. */
async function optionsOf(node: KnownNode, reader: ObjectReader, levels = OPTION_LEVELS): Promise<Option[]> {
  const facts = await unlessRefused(reader.facts(node));
  const children = (facts && (await unlessRefused(reader.children(node, facts.childCount, MAX_OPTIONS)))) ?? [];
  const read = await Promise.all(children.map((child) => unlessRefused(reader.facts(child))));
  const [first] = read;
  const [menu] = children;
  if (levels > 1 && children.length === 1 && menu && first && ['menu', 'list', 'list box'].includes(first.role)) {
    const options = await optionsOf({ ...menu, role: first.role }, reader, levels - 1);
    if (options.length > 0) return options;
  }
  return children.flatMap((child, index) => {
    const option = read[index];
    return option ? [{ ...child, role: option.role, name: option.name, index }] : [];
  });
}

/** As `changeIfAble`, for a method that the node has to have. */
async function change(id: string, call: BusCall, node: KnownNode): Promise<unknown> {
  const done = await changeIfAble(id, call, node);
  if (done === undefined) throw refused(id, 'cannot do this');
  return done;
}

/**
 * A call that changes the node.
 * @returns undefined if the node does not have the method
 * @throws SandboxError if the program refuses, or does not answer
 */
async function changeIfAble(id: string, call: BusCall, { session }: KnownNode): Promise<unknown> {
  try {
    return (await callObject(session.bus, call, CONTROL_MS)) ?? null;
  } catch (error) {
    const failure = failureOf(error);
    if (failure === 'gone') return undefined;
    if (failure === 'refused') {
      const why = String(Object(error).message).slice(0, 200).toWellFormed().trim();
      throw refused(id, `refuses: ${why}`);
    }
    const why = 'the program did not answer, and may still do it';
    throw new SandboxError('unprocessable', why, { hint: 'look at the screen', cause: error });
  }
}

function silent(cause: unknown): SandboxError {
  return new SandboxError('unavailable', `the program of the node did not answer within ${CONTROL_MS / 1000} s`, {
    hint: 'the program may be busy: try again, or end it',
    cause,
  });
}

function refused(id: string, why: string, hint?: string): SandboxError {
  return new SandboxError('unprocessable', `node ${id} ${why}`, hint === undefined ? {} : { hint });
}

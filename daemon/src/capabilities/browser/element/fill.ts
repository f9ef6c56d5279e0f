import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { isCdpFailure } from '../cdp/cdp-failure.ts';
import { keyNamed } from '../input/keys.ts';
import { Deadline } from '../page/deadline.ts';
import { type Outcome, undone } from '../page/outcome.ts';
import { callIn, isReplaced, objectIn } from '../page/world.ts';
import type { Tab } from '../tabs/tab.ts';
import { type Acted, begun, clickElement } from './click.ts';
import { type Element, type Target, withElement } from './find-element.ts';
import { CHOOSE, CONTROL, FIELD_KIND, FIELD_VALUE, SELECT_ALL, SET_VALUE } from './page-scripts.ts';
import { waitUntilActionable } from './point.ts';

/** What was to be done is done already. */
const NOTHING = (): Promise<void> => Promise.resolve();
/** Milliseconds for a call that the page answers at once. */
const LOOK_MS = 5000;

/** What was filled in. */
export interface Filled extends Acted {
  /** What the field holds now; null if the page has gone on. */
  readonly value: string | null;
}

export interface FillTerms {
  /** Several for a list that takes several. */
  readonly values: readonly string[];
  /** Milliseconds until the field must be such that it can be filled. */
  readonly timeoutMs: number;
  /** Refuses any other kind of field. */
  readonly only?: 'select';
}

interface FieldKind {
  readonly kind: 'text' | 'value' | 'select' | 'checkbox' | 'radio' | 'file' | 'none';
  readonly type?: string;
  readonly checked?: boolean;
}

/**
 * Fills a field by input events: text replaces what it held, an option is chosen by value or label, a checkbox takes
 * `true` or `false`. @throws SandboxError if nothing was done
 */
export async function fill(tab: Tab, target: Target, { values, timeoutMs, only }: FillTerms): Promise<Outcome<Filled>> {
  const deadline = new Deadline(timeoutMs);
  await tab.usable();
  await tab.takeInput();
  return withElement(tab, target, deadline, async (found) => {
    const element = await controlOf(found);
    const { frame, objectId } = element;
    const field = await callIn<FieldKind>(frame, FIELD_KIND, { objectId, ms: LOOK_MS });
    const [value = ''] = values;
    if (only !== undefined && field.kind !== only) {
      throw new SandboxError('invalid', `${element.name} is not a list of options`, { hint: 'POST fill fills fields' });
    }
    switch (field.kind) {
      case 'text':
        return fillText(element, values.join(''), deadline);
      case 'select':
        return choose(element, { values, field: only === undefined ? 'value' : 'values' }, deadline);
      case 'value':
        return setValue(element, value, field.type ?? '', deadline);
      case 'checkbox':
      case 'radio':
        return check(element, value, field, deadline);
      case 'file':
        throw new SandboxError('invalid', `${element.name} takes files`, { hint: 'POST upload gives it files' });
      default:
        throw new SandboxError('invalid', `${element.name} takes no text`, {
          hint: 'POST click acts on buttons and links',
        });
    }
  });
}

/** The control of a label, else the element. */
async function controlOf(element: Element): Promise<Element> {
  const { frame, objectId } = element;
  const control = await objectIn(frame, CONTROL, { objectId, ms: LOOK_MS, group: element.group });
  return control === undefined ? element : { ...element, objectId: control };
}

async function fillText(element: Element, text: string, deadline: Deadline): Promise<Outcome<Filled>> {
  const { tab, frame, objectId } = element;
  const { what } = await waitUntilActionable(element, { point: false, editable: true }, deadline);
  return finish(element, what, `filled ${what}`, async () => {
    const hadText = await callIn<boolean>(frame, SELECT_ALL, { objectId, ms: LOOK_MS });
    if (text !== '') await tab.keyboard.insert(text);
    else if (hadText) await tab.keyboard.chord([keyNamed('Delete')]);
  });
}

/** @param wanted the options, and the field of the request that names them */
async function choose(
  element: Element,
  wanted: { readonly values: readonly string[]; readonly field: string },
  deadline: Deadline,
): Promise<Outcome<Filled>> {
  const { frame, objectId } = element;
  const { what } = await waitUntilActionable(element, { point: false, editable: false }, deadline);
  const answer = await callIn<{ missing?: string[]; options?: string[]; single?: true; disabled?: string[] }>(
    frame,
    CHOOSE,
    { objectId, args: [wanted.values], ms: LOOK_MS },
  );
  const refuse = (message: string, hint?: string): SandboxError =>
    new SandboxError('invalid', message, { field: wanted.field, ...(hint !== undefined && { hint }) });
  if (answer.missing) {
    throw refuse(
      `option not found: ${JSON.stringify(answer.missing[0])}`,
      `the options are ${answer.options?.join(', ')}`,
    );
  }
  if (answer.single) throw refuse('has several options, the list takes one');
  if (answer.disabled) throw refuse(`is an option that is disabled: ${JSON.stringify(answer.disabled[0])}`);
  return finish(element, what, `chose in ${what}`, NOTHING);
}

async function setValue(element: Element, value: string, type: string, deadline: Deadline): Promise<Outcome<Filled>> {
  const { frame, objectId } = element;
  const { what } = await waitUntilActionable(element, { point: false, editable: true }, deadline);
  const { refused } = await callIn<{ refused?: true }>(frame, SET_VALUE, { objectId, args: [value], ms: LOOK_MS });
  if (refused) {
    throw new SandboxError('invalid', `is not a ${type}: ${JSON.stringify(value.slice(0, 100))}`, {
      field: 'value',
      hint: FORMATS[type] ?? 'write it as the field has it',
    });
  }
  return finish(element, what, `filled ${what}`, NOTHING);
}

/** How HTML writes values (HTML Standard §2.3.5, §4.10.5). */
const FORMATS: Readonly<Record<string, string>> = {
  date: 'write 2026-12-31',
  time: 'write 23:59',
  'datetime-local': 'write 2026-12-31T23:59',
  month: 'write 2026-12',
  week: 'write 2026-W52',
  color: 'write #a1b2c3',
  range: 'write a number within the bounds of the field',
};

/** What a checkbox takes. */
export const CHECKED: Readonly<Record<string, boolean>> = {
  true: true,
  on: true,
  checked: true,
  '1': true,
  false: false,
  off: false,
  unchecked: false,
  '0': false,
  '': false,
};

async function check(element: Element, value: string, field: FieldKind, deadline: Deadline): Promise<Outcome<Filled>> {
  const wanted = CHECKED[value.trim().toLowerCase()];
  if (wanted === undefined || (field.kind === 'radio' && !wanted)) {
    const message = field.kind === 'radio' ? 'has to be true' : 'has to be true or false';
    throw new SandboxError('invalid', message, { field: 'value' });
  }
  if (field.checked === wanted) {
    const { what } = await waitUntilActionable(element, { point: false, editable: false }, deadline);
    return finish(element, what, `${what} was so already`, NOTHING);
  }
  const clicked = await clickElement(element, { button: 'left', clickCount: 1, timeoutMs: 0 }, deadline);
  const read = await heldValue(element);
  const filled = { ...clicked.data, value: read };
  if (!clicked.success || (read !== null && read !== String(wanted))) {
    return undone(filled, `${clicked.message}; the page did not take it`, clicked.hint);
  }
  return { ...clicked, data: filled };
}

/** Acts, then says what the field holds. */
async function finish(
  element: Element,
  what: string,
  words: string,
  act: () => Promise<void>,
): Promise<Outcome<Filled>> {
  const acted: Filled = { tabId: element.tab.id, element: what, x: null, y: null, value: null };
  const outcome = await begun(acted, words, act);
  const value = outcome.success ? await heldValue(element) : null;
  return { ...outcome, data: { ...acted, value } };
}

/** Null if the page has been left, or shows a dialog. */
async function heldValue({ tab, frame, objectId }: Element): Promise<string | null> {
  if (tab.dialog) return null;
  return callIn<string>(frame, FIELD_VALUE, { objectId, ms: LOOK_MS }).catch((error: unknown) => {
    if (isReplaced(error) || isCdpFailure(error)) return null;
    throw error;
  });
}

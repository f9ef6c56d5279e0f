import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { BorrowedClipboard } from '../clipboard/borrowed-clipboard.ts';
import type { Selections } from '../clipboard/selections.ts';
import type { XSession } from '../x11/x-session.ts';
import { characterKey } from './key-symbols.ts';
import type { Keyboard } from './keyboard.ts';
import type { Layout, Stroke } from './layout.ts';
import type { XInput } from './x-input.ts';

/** Strokes that are sent together. */
const STROKES_AT_ONCE = 100;
/** Pastes of one text. */
const PASTES_MAX = 20;
const INSERT = { keysym: 0xff63 };

/** A part of a text: strokes, or what only the clipboard can bring. */
type Part = { readonly strokes: Stroke[] } | { readonly pasted: string };

export interface TypingTerms {
  readonly session: XSession;
  readonly keyboard: Keyboard;
  readonly selections: Selections;
}

/**
 * Prepares a text: characters of the layout become keys, all others go through the clipboard.
 * @throws SandboxError `invalid` where `useClipboard` is false and no key types a character
 */
export async function prepareTyping(
  terms: TypingTerms,
  text: string,
  useClipboard: boolean,
): Promise<(input: XInput, signal: AbortSignal) => Promise<void>> {
  const layout = await terms.keyboard.layout();
  const given = text.replaceAll('\r\n', '\n');
  const apart = partsOf(layout, given);
  const first = apart.find((part) => 'pasted' in part);
  if (first && !useClipboard) throw untypable([...first.pasted][0] ?? '');
  const parts = apart.filter((part) => 'pasted' in part).length > PASTES_MAX ? linesOf(layout, given) : apart;
  const canPaste = layout.shift !== undefined && layout.strokeOf(INSERT) !== undefined;
  const pasted = canPaste ? undefined : parts.find((part) => 'pasted' in part);
  if (pasted) throw untypable([...pasted.pasted][0] ?? '');
  return (input, signal) => typeParts(terms, parts, input, signal);
}

function partsOf(layout: Layout, text: string): Part[] {
  const parts: Part[] = [];
  for (const character of text) add(parts, character, layout.strokeOf(characterKey(character)));
  return parts;
}

/** Whole lines through the clipboard if a part of them has to: each paste takes a tenth of a second. */
function linesOf(layout: Layout, text: string): Part[] {
  return text.split(/(\n)/).flatMap((line) => {
    const parts = partsOf(layout, line);
    return parts.some((part) => 'pasted' in part) ? [{ pasted: line }] : parts;
  });
}

function add(parts: Part[], character: string, stroke: Stroke | undefined): void {
  const last = parts.at(-1);
  if (stroke !== undefined) {
    if (last && 'strokes' in last && last.strokes.length < STROKES_AT_ONCE) last.strokes.push(stroke);
    else parts.push({ strokes: [stroke] });
  } else if (last && 'pasted' in last) parts[parts.length - 1] = { pasted: last.pasted + character };
  else parts.push({ pasted: character });
}

async function typeParts(
  { session, keyboard, selections }: TypingTerms,
  parts: readonly Part[],
  input: XInput,
  signal: AbortSignal,
): Promise<void> {
  const [layout, pastes] = [await keyboard.layout(), parts.some((part) => 'pasted' in part)];
  await using clipboard = pastes ? await BorrowedClipboard.borrow(session, selections) : undefined;
  const [shift, insert] = [layout.shift, layout.strokeOf(INSERT)?.keycode];
  for (const part of parts) {
    signal.throwIfAborted();
    if ('strokes' in part) await keyboard.type(input, part.strokes);
    else if (clipboard && shift !== undefined && insert !== undefined) {
      await clipboard.offer(part.pasted, async () => {
        input.key(shift, true);
        input.key(insert, true);
        input.key(insert, false);
        input.key(shift, false);
        await input.sync();
      });
    }
  }
}

function untypable(character: string): SandboxError {
  return new SandboxError('invalid', `no key types ${JSON.stringify(character)}`, {
    field: 'text',
    hint: 'leave use_clipboard true: then any character arrives',
  });
}

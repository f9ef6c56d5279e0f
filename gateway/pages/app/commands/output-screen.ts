import { countText } from '../parts/format.ts';
import { OutputText, type Piece, type Stream } from './output-text.ts';
import type { Segment } from './style.ts';

/** Lines that the document holds. */
const LINES_MAX = 5000;
/** Lines of one block: what is drawn again when a line is added, and removed at once. */
const BLOCK_LINES = 250;
/** Lines that are added in one frame, so that drawing them is a short task. */
const FRAME_LINES = 1000;

/** Draws output at the rate of the screen: the newest lines, as text. */
export class OutputScreen {
  readonly #place: HTMLElement;
  readonly #output = new OutputText();
  readonly #open = document.createElement('div');
  readonly #left = document.createElement('p');
  #dropped = 0;
  #frame: number | undefined;
  #blocks: { element: HTMLElement; lines: number }[] = [];

  constructor(place: HTMLElement) {
    this.#place = place;
    this.#left.className = 'note';
    this.#left.hidden = true;
    place.replaceChildren(this.#left, this.#open);
  }

  push(stream: Stream, text: string): void {
    this.#output.push(stream, text);
    this.#frame ??= requestAnimationFrame(() => this.#draw());
  }

  close(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
  }

  #draw(): void {
    this.#frame = undefined;
    const place = this.#place;
    const isAtEnd = place.scrollHeight - place.scrollTop - place.clientHeight < 40;
    const { pieces, dropped } = this.#output.take(FRAME_LINES);
    if (dropped > 0) this.#clear(dropped);
    for (const piece of pieces) this.#add(piece);
    const { stream, segments } = this.#output.open;
    this.#open.className = stream;
    this.#open.replaceChildren(...segments.map(drawn));
    this.#trim();
    if (isAtEnd) place.scrollTop = place.scrollHeight;
  }

  #add({ stream, segments, lines }: Piece): void {
    const last = this.#blocks.at(-1);
    const block = last && last.lines + lines <= BLOCK_LINES ? last : this.#begin();
    const element = document.createElement('div');
    element.className = stream;
    element.append(...segments.map(drawn));
    block.element.append(element);
    block.lines += lines;
  }

  #begin(): { element: HTMLElement; lines: number } {
    const block = { element: document.createElement('div'), lines: 0 };
    block.element.className = 'block';
    this.#open.before(block.element);
    this.#blocks.push(block);
    return block;
  }

  /** What arrived in one frame and was not drawn is a gap: what was drawn before it goes too. */
  #clear(dropped: number): void {
    for (const { element, lines } of this.#blocks.splice(0)) {
      element.remove();
      this.#dropped += lines;
    }
    this.#dropped += dropped;
    this.#report();
  }

  #trim(): void {
    let lines = this.#blocks.reduce((sum, block) => sum + block.lines, 0);
    while (lines > LINES_MAX && this.#blocks.length > 1) {
      const [first] = this.#blocks.splice(0, 1);
      if (!first) return;
      first.element.remove();
      lines -= first.lines;
      this.#dropped += first.lines;
      this.#report();
    }
  }

  #report(): void {
    this.#left.hidden = false;
    this.#left.textContent = `${countText(this.#dropped, 'earlier line')} not shown here. Download has all that is kept.`;
  }
}

/** Text without a style is a node of text alone, as most output is. */
function drawn({ text, style }: Segment): Node {
  if (style === undefined) return document.createTextNode(text);
  const element = document.createElement('span');
  element.className = style.classes;
  // The policy of the page forbids style attributes of the document, not those that its script sets.
  if (style.color !== undefined) element.style.color = style.color;
  if (style.background !== undefined) element.style.backgroundColor = style.background;
  element.textContent = text;
  return element;
}

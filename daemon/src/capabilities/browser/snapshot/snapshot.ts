import { CdpFailure, isCdpFailure } from '../cdp/cdp-failure.ts';
import { type Target, withElementNow } from '../element/find-element.ts';
import { NODE, NUMBERS } from '../element/page-scripts.ts';
import { shortUrl } from '../network/logged-request.ts';
import { Deadline } from '../page/deadline.ts';
import { callIn, isReplaced, objectIn } from '../page/world.ts';
import type { Frame } from '../tabs/frames.ts';
import type { Tab } from '../tabs/tab.ts';
import { compact } from './compact.ts';
import { type PageLine, type PageLook, WALK } from './page-walk.ts';
import { writeLine } from './write-line.ts';

/** Milliseconds for a snapshot of all frames. */
export const SNAPSHOT_MS = 20_000;
/** Attempts while the page replaces its document. */
const ATTEMPTS = 3;
/** Frames in one snapshot. */
export const FRAMES_MAX = 100;
/** Depth of frames within frames. */
const NESTING_MAX = 16;

export interface SnapshotTerms {
  /** Only what can be acted on, without its structure. */
  readonly interactiveOnly: boolean;
  /** Characters of the text. */
  readonly maxLength: number;
  /** Levels of the text; deeper ones are left out. */
  readonly depth: number;
  /** Only this element, with lists in full. */
  readonly selector?: string | undefined;
}

export interface Snapshot {
  readonly tabId: string;
  readonly url: string;
  readonly title: string;
  readonly text: string;
  /** References in the text. */
  readonly refs: number;
  readonly isCut: boolean;
}

interface Work {
  readonly tab: Tab;
  readonly terms: SnapshotTerms;
  readonly frames: readonly Frame[];
  readonly deadline: Deadline;
  readonly lines: string[];
  left: number;
  refs: number;
  visited: number;
  isCut: boolean;
}

/**
 * The accessibility tree of all frames as text. A node keeps its reference from one snapshot to the next as long as it
 * is in the page. @throws SandboxError
 */
export async function takeSnapshot(tab: Tab, terms: SnapshotTerms): Promise<Snapshot> {
  const deadline = new Deadline(SNAPSHOT_MS);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await look(await tab.usable(), terms, deadline);
    } catch (error) {
      if (tab.gone.aborted || !isReplaced(error)) throw error;
      if (attempt === ATTEMPTS || deadline.isOver) {
        throw new CdpFailure('timeout', 'the page replaced itself while it was read', { cause: error });
      }
    }
  }
}

async function look(tab: Tab, terms: SnapshotTerms, deadline: Deadline): Promise<Snapshot> {
  const frames = await tab.frames(deadline.forCall);
  const [main] = frames;
  if (main === undefined) throw new CdpFailure('closed', `the tab ${tab.id} has no page`);
  const work: Work = {
    tab,
    terms,
    frames,
    deadline,
    lines: [],
    left: terms.maxLength,
    refs: 0,
    visited: 0,
    isCut: false,
  };
  const root =
    terms.selector === undefined ? { frame: main, number: null } : await rootOf(tab, terms.selector, deadline);
  const { title, url } = await lookInto(work, root.frame, 0, root.number, 0);
  tab.refs.keepDocuments(new Set(frames.map(({ loaderId }) => loaderId)));
  const { lines, refs, isCut } = work;
  return { tabId: tab.id, url: shortUrl(url), title, text: lines.join('\n'), refs, isCut };
}

/** The element whose tree is asked for, by its number. */
async function rootOf(tab: Tab, selector: Target['selector'], deadline: Deadline) {
  return withElementNow(tab, { selector }, deadline, async ({ frame, objectId }) => ({
    frame,
    number: await callIn<number>(frame, NUMBER_OF, { objectId, ms: deadline.forCall }),
  }));
}

const NUMBER_OF = `function() {
  const numbers = ${NUMBERS};
  let number = numbers.byNode.get(this);
  if (number === undefined) {
    number = numbers.last += 1;
    numbers.byNode.set(this, number);
    numbers.byNumber.set(number, new WeakRef(this));
  }
  return number;
}`;

async function lookInto(
  work: Work,
  frame: Frame,
  depth: number,
  root: number | null,
  nesting: number,
): Promise<{ readonly title: string; readonly url: string }> {
  const { terms, deadline } = work;
  work.visited += 1;
  const args = [terms.interactiveOnly, Math.max(work.left, 0), root];
  const walked = await callIn<PageLook>(frame, WALK, { args, ms: deadline.forCall });
  const { lines, isCut } = compact(walked.lines, root !== null);
  const seen = { ...walked, lines: lines.filter(({ d }) => depth + d <= terms.depth) };
  if (walked.isCut || isCut || seen.lines.length < lines.length) work.isCut = true;
  const inner = await innerFrames(work, frame, seen.lines, nesting);
  for (const line of seen.lines) {
    write(work, frame, line, depth);
    const child = line.i === undefined ? undefined : inner.get(line.i);
    if (child && work.visited < FRAMES_MAX) await lookIntoChild(work, child, depth + line.d + 1, nesting + 1);
  }
  return seen;
}

/** A frame that goes, or does not answer, costs its own lines alone. */
async function lookIntoChild(work: Work, frame: Frame, depth: number, nesting: number): Promise<void> {
  try {
    await lookInto(work, frame, depth, null, nesting);
  } catch (error) {
    if (!isReplaced(error) && !isCdpFailure(error, 'timeout')) throw error;
    work.isCut = true;
  }
}

function write(work: Work, { id: frameId, loaderId }: Frame, line: PageLine, depth: number): void {
  let refs = 0;
  const text = writeLine(line, depth, ({ i }) => {
    if (i === undefined) return undefined;
    refs += 1;
    return work.tab.refs.of({ frameId, loaderId, nodeId: i });
  });
  work.left -= text.length + 1;
  if (work.left < 0) work.isCut = true;
  else {
    work.lines.push(text);
    work.refs += refs;
  }
}

/** Which frame each element of a frame shows, by the number of the element. */
async function innerFrames(
  { frames, deadline, left }: Work,
  frame: Frame,
  lines: readonly PageLine[],
  nesting: number,
): Promise<ReadonlyMap<number, Frame>> {
  if (left <= 0 || nesting >= NESTING_MAX) return new Map();
  const elements = lines.flatMap(({ r, i }) => (r === 'iframe' && i !== undefined ? [i] : [])).slice(0, FRAMES_MAX);
  const found = await Promise.all(
    elements.map(async (number) => {
      const shown = await frameShownBy(frame, number, deadline).catch(() => undefined);
      const inner = frames.find(({ id }) => id === shown);
      return inner ? [[number, inner] as const] : [];
    }),
  );
  return new Map(found.flat());
}

async function frameShownBy(frame: Frame, number: number, deadline: Deadline): Promise<string | undefined> {
  const group = `sandboxd-frame-${number}`;
  const objectId = await objectIn(frame, NODE, { args: [number], ms: deadline.forCall, group });
  if (objectId === undefined) return undefined;
  const { node } = await frame.session.send('DOM.describeNode', { objectId, depth: 0 }, deadline.forCall);
  frame.session.send('Runtime.releaseObjectGroup', { objectGroup: group }).catch(() => undefined);
  return node.frameId;
}

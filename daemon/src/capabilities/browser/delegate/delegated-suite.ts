import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { type Acted, type ClickTerms, click } from '../element/click.ts';
import { CHECKED, type Filled, type FillTerms, fill } from '../element/fill.ts';
import type { Target } from '../element/find-element.ts';
import type { Point } from '../element/point.ts';
import { goneRef } from '../element/refs.ts';
import { requireFiles, type Uploaded, type UploadTerms, upload } from '../element/upload.ts';
import { done, type Outcome, undone } from '../page/outcome.ts';
import type { Snapshot, SnapshotTerms } from '../snapshot/snapshot.ts';
import type { Tab } from '../tabs/tab.ts';
import type { CliAnswer } from './agent-browser-cli.ts';
import type { CliSessions } from './cli-sessions.ts';
import { type Named, snapshotOf } from './cli-snapshot.ts';
import type { RefSuite } from './ref-suite.ts';

/** Milliseconds for a snapshot, and what a call of the CLI gets beyond the time that its caller gives the page. */
const SNAPSHOT_MS = 20_000;
const MORE_MS = 10_000;
/** In place of a frame's id: what the number of a reference is a reference of. */
const CLI_FRAME = 'agent-browser';

const CHECKABLE = /^(?:checkbox|radio|switch|menuitemcheckbox|menuitemradio)$/;
const LISTS = /^(?:combobox|listbox)$/;
/** What the CLI says before it has done anything. */
const GONE = /^Unknown ref|^Element not found|[Cc]ould not (?:find|locate)/;
const NOT_NOW = /disabled|covered|hidden|not visible|outside|intercept/;
const REFUSED = /^No option matched/;

interface Found {
  /** As the CLI names it. */
  readonly ref: string;
  readonly role: string;
  /** What it is, in words. */
  readonly what: string;
}

/** Snapshots and references are agent-browser's; selectors and points stay with the daemon. */
export class DelegatedSuite implements RefSuite, AsyncDisposable {
  readonly #sessions: CliSessions;
  /** What the references of a tab name, by the number of agent-browser's. */
  readonly #named = new WeakMap<Tab, ReadonlyMap<number, Named>>();

  constructor(sessions: CliSessions) {
    this.#sessions = sessions;
  }

  async snapshot(tab: Tab, terms: SnapshotTerms): Promise<Snapshot> {
    const loaderId = await documentOf(tab);
    const scope = terms.selector === undefined ? [] : ['-s', terms.selector];
    const args = ['snapshot', '-u', ...(terms.interactiveOnly ? ['-i'] : []), ...scope];
    const answer = await this.#sessions.call(tab, args, SNAPSHOT_MS);
    if (answer === undefined) throw new SandboxError('unavailable', 'agent-browser did not answer in time');
    if (!answer.success) throw refusal(answer, terms.selector ?? 'the page');
    const { text, named, refs, isCut } = snapshotOf(answer.data, terms.maxLength, (nodeId) =>
      tab.refs.of({ frameId: CLI_FRAME, loaderId, nodeId }),
    );
    tab.refs.keepDocuments(new Set([loaderId]));
    this.#named.set(tab, new Map([...(this.#named.get(tab) ?? []), ...named]));
    const { targetInfo } = await tab.send('Target.getTargetInfo', {});
    return { tabId: tab.id, url: targetInfo.url, title: targetInfo.title, text, refs, isCut };
  }

  async click(tab: Tab, to: Target | Point, terms: ClickTerms): Promise<Outcome<Acted>> {
    if ('x' in to || to.ref === undefined || to.selector !== undefined) return click(tab, to, terms);
    const { ref, what } = await this.#find(tab, to.ref);
    const isPlain = terms.button === 'left' && terms.clickCount < 3;
    if (!isPlain) return click(tab, await this.#pointOf(tab, ref, to.ref), terms);
    const command = terms.clickCount === 2 ? 'dblclick' : 'click';
    return this.#act(tab, to.ref, [command, ref], { done: `clicked ${what}`, what, ...terms });
  }

  async fill(tab: Tab, target: Target, terms: FillTerms): Promise<Outcome<Filled>> {
    if (target.ref === undefined || target.selector !== undefined) return fill(tab, target, terms);
    const { values, timeoutMs, only } = terms;
    const found = await this.#find(tab, target.ref);
    if (only !== undefined && !LISTS.test(found.role)) {
      throw new SandboxError('invalid', `${found.what} is not a list of options`, { hint: 'POST fill fills fields' });
    }
    const args = await this.#fillCommand(tab, found, values, timeoutMs);
    const outcome = await this.#act(tab, target.ref, args, {
      done: `filled ${found.what}`,
      what: found.what,
      timeoutMs,
    });
    return { ...outcome, data: { ...outcome.data, value: null } };
  }

  async upload(tab: Tab, target: Target, { paths, timeoutMs }: UploadTerms): Promise<Outcome<Uploaded>> {
    if (target.ref === undefined || target.selector !== undefined) return upload(tab, target, { paths, timeoutMs });
    await requireFiles(paths);
    const { ref, what } = await this.#find(tab, target.ref);
    const terms = { done: `gave ${paths.length} files to ${what}`, what, timeoutMs };
    const outcome = await this.#act(tab, target.ref, ['upload', ref, ...paths], terms);
    return { ...outcome, data: { ...outcome.data, files: null } };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sessions[Symbol.asyncDispose]();
  }

  /** @throws SandboxError `not_found` for a reference of another document */
  async #find(tab: Tab, given: string): Promise<Found> {
    const { frameId, loaderId, nodeId } = tab.refs.find(given);
    if (frameId !== CLI_FRAME || loaderId !== (await documentOf(tab))) throw goneRef(given);
    const { role = '', name = '' } = this.#named.get(tab)?.get(nodeId) ?? {};
    return { ref: `@e${nodeId}`, role, what: `${role || given} ${JSON.stringify(name)}` };
  }

  /** The CLI types into what has the focus if a field takes no text: each kind of field has its command. */
  async #fillCommand(
    tab: Tab,
    { ref, role }: Found,
    values: readonly string[],
    timeoutMs: number,
  ): Promise<readonly string[]> {
    const [value = ''] = values;
    if (CHECKABLE.test(role)) {
      const wanted = CHECKED[value.trim().toLowerCase()];
      if (wanted === undefined) throw new SandboxError('invalid', 'has to be true or false', { field: 'value' });
      return [wanted ? 'check' : 'uncheck', ref];
    }
    if (LISTS.test(role)) {
      const inside = await this.#sessions.call(tab, ['get', 'html', ref], timeoutMs + MORE_MS);
      if (JSON.stringify(inside?.data ?? '').includes('<option')) return ['select', ref, ...values];
    }
    return ['fill', ref, values.join('')];
  }

  /** The middle of an element, for clicks that the CLI has no command for. */
  async #pointOf(tab: Tab, ref: string, given: string): Promise<Point> {
    await this.#sessions.call(tab, ['scrollintoview', ref], MORE_MS);
    const answer = await this.#sessions.call(tab, ['get', 'box', ref], MORE_MS);
    const { x, y, width, height } = (answer?.data ?? {}) as Partial<Record<'x' | 'y' | 'width' | 'height', number>>;
    if (x === undefined || y === undefined || !width || !height) throw refusal(answer, given);
    return { x: x + width / 2, y: y + height / 2 };
  }

  async #act(
    tab: Tab,
    given: string,
    args: readonly string[],
    terms: { readonly done: string; readonly what: string; readonly timeoutMs: number },
  ): Promise<Outcome<Acted>> {
    const acted: Acted = { tabId: tab.id, element: terms.what, x: null, y: null };
    await tab.takeInput();
    const answer = await this.#sessions.call(tab, args, terms.timeoutMs + MORE_MS);
    if (answer === undefined) return undone(acted, `${terms.done}, perhaps: agent-browser did not answer in time`);
    if (answer.success) return done(acted, [terms.done, answer.warning].filter((words) => words !== '').join('; '));
    if (GONE.test(answer.error) || NOT_NOW.test(answer.error) || REFUSED.test(answer.error)) {
      throw refusal(answer, given);
    }
    return undone(acted, `agent-browser: ${answer.error}`);
  }
}

/** The document that the tab shows. @throws SandboxError if the tab cannot be called */
async function documentOf(tab: Tab): Promise<string> {
  await tab.usable();
  const { frameTree } = await tab.send('Page.getFrameTree');
  return frameTree.frame.loaderId;
}

function refusal(answer: CliAnswer | undefined, given: string): SandboxError {
  const error = answer?.error ?? '';
  if (GONE.test(error)) return goneRef(given);
  if (REFUSED.test(error)) return new SandboxError('invalid', `has a fault: ${error}`, { field: 'value' });
  return new SandboxError('unavailable', `agent-browser: ${error || 'no answer in time'}`, {
    hint: 'POST snapshot shows the page as it is now',
  });
}

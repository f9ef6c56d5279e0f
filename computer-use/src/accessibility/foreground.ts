import type { UnreadNode } from './node.ts';
import { type ObjectReader, unlessRefused, unlessSilent } from './object-reader.ts';
import { hasState } from './vocabulary.ts';

/** The window that the window manager calls active. */
export interface ActiveWindow {
  readonly processId: number | undefined;
  readonly title: string;
}

/** A program and those of its windows that are in front. */
export interface Foreground {
  readonly application: UnreadNode;
  readonly windows: readonly UnreadNode[];
}

/** A program's windows; more are not looked at. */
const MAX_WINDOWS = 200;

interface Window {
  readonly object: UnreadNode;
  readonly isActive: boolean;
  readonly isPopup: boolean;
  readonly name: string;
}

/**
 * The program in front: that of the active window, else the first one with a window that calls itself active. Of its
 * windows the active one and what it has popped up, such as menus, which are windows of their own.
 * @param silent to which the names of programs that did not answer in time are added
 * @returns undefined if no program that tells its content is in front
 */
export async function findForeground(
  reader: ObjectReader,
  applications: readonly UnreadNode[],
  { active, silent }: { readonly active: ActiveWindow | undefined; readonly silent: string[] },
): Promise<Foreground | undefined> {
  const candidates =
    active?.processId === undefined ? applications : await ofProcess(reader, applications, active, silent);
  const looks = candidates.map((application) =>
    unlessSilent(unlessRefused(lookAt(reader, application, active)), application.sender, silent),
  );
  // In the order of the programs.
  return (await Promise.all(looks)).find((foreground) => foreground !== undefined);
}

async function ofProcess(
  reader: ObjectReader,
  applications: readonly UnreadNode[],
  { processId }: ActiveWindow,
  silent: string[],
): Promise<readonly UnreadNode[]> {
  const asked = applications.map(({ sender }) => unlessSilent(reader.processId(sender), sender, silent));
  const processes = await Promise.all(asked);
  return applications.filter((_application, index) => processes[index] === processId);
}

async function lookAt(
  reader: ObjectReader,
  application: UnreadNode,
  active: ActiveWindow | undefined,
): Promise<Foreground | undefined> {
  const { childCount } = await reader.facts(application);
  const children = await reader.children(application, childCount, MAX_WINDOWS);
  const looks = await Promise.all(
    children.slice(0, MAX_WINDOWS).map((child) => unlessRefused(windowOf(reader, child))),
  );
  const windows = looks.filter((window) => window !== undefined);
  const named = windows.find(({ name }) => name === active?.title);
  // Programs that do not know that they are in front, such as Chromium beside xfwm4, have the window manager's word.
  const front =
    windows.find(({ isActive }) => isActive) ?? named ?? (active && windows.find(({ isPopup }) => !isPopup));
  if (!front) return undefined;
  const shown = windows.filter((window) => window === front || window.isActive || window.isPopup);
  return { application, windows: shown.map(({ object }) => object) };
}

/** Undefined if it is not shown, or gone. */
async function windowOf(reader: ObjectReader, object: UnreadNode): Promise<Window | undefined> {
  const facts = await reader.facts(object);
  if (!hasState(facts.states, 'showing') && !hasState(facts.states, 'active')) return undefined;
  const isPopup = facts.role !== 'frame';
  return { object, isActive: hasState(facts.states, 'active'), isPopup, name: facts.name };
}

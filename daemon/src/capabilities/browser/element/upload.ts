import { stat } from 'node:fs/promises';
import { basename, isAbsolute } from 'node:path';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { waitFor } from '@sandbox/api/wait.ts';
import { isCdpFailure } from '../cdp/cdp-failure.ts';
import type { Protocol } from '../cdp/cdp-types.ts';
import { Deadline } from '../page/deadline.ts';
import { done, type Outcome, undone } from '../page/outcome.ts';
import { callIn, objectIn } from '../page/world.ts';
import type { Tab } from '../tabs/tab.ts';
import { type Acted, clickElement } from './click.ts';
import { type Element, type Target, withElement } from './find-element.ts';
import { CONTROL, FIELD_KIND, FILES } from './page-scripts.ts';

const LOOK_MS = 5000;
/** Milliseconds until a click must have opened the file chooser. */
const CHOOSER_MS = 5000;
/** Files of one call. */
export const PATHS_MAX = 1000;

export interface Uploaded extends Acted {
  /** The files as the page has them; null if that is not known. */
  readonly files: readonly { readonly name: string; readonly size: number }[] | null;
}

export interface UploadTerms {
  readonly paths: readonly string[];
  /** Milliseconds until the element must be such that it can be clicked. */
  readonly timeoutMs: number;
}

interface FileField {
  readonly kind: string;
  readonly multiple?: boolean;
  readonly directory?: boolean;
}

/**
 * Gives files to a file field, or to the file chooser that a click on the element opens.
 * @throws SandboxError if nothing was done
 */
export async function upload(tab: Tab, target: Target, { paths, timeoutMs }: UploadTerms): Promise<Outcome<Uploaded>> {
  const deadline = new Deadline(timeoutMs);
  await tab.usable();
  await requireFiles(paths);
  return withElement(tab, target, deadline, async (found) => {
    const control = await objectIn(found.frame, CONTROL, { objectId: found.objectId, ms: LOOK_MS, group: found.group });
    const element = { ...found, objectId: control ?? found.objectId };
    const { frame, objectId } = element;
    const field = await callIn<FileField>(frame, FIELD_KIND, { objectId, ms: LOOK_MS });
    if (field.kind !== 'file') return throughChooser(element, paths, deadline);
    requireFewer(paths, field.multiple === true || field.directory === true);
    return setFiles(element, paths, { objectId });
  });
}

/** @throws SandboxError `invalid` for a path that is relative or not there */
export async function requireFiles(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const fault = isAbsolute(path)
      ? await stat(path).then(
          () => undefined,
          () => 'does not exist',
        )
      : 'is not absolute';
    if (fault !== undefined) throw new SandboxError('invalid', `has a path that ${fault}: ${path}`, { field: 'paths' });
  }
}

function requireFewer(paths: readonly string[], isMultiple: boolean): void {
  if (paths.length > 1 && !isMultiple) {
    throw new SandboxError('invalid', `has ${paths.length} files, the field takes one`, { field: 'paths' });
  }
}

async function setFiles(
  element: Element,
  paths: readonly string[],
  field: { readonly objectId: string } | { readonly backendNodeId: number },
  acted?: Acted,
): Promise<Outcome<Uploaded>> {
  const { tab, frame } = element;
  const data = { tabId: tab.id, element: element.name, x: null, y: null, ...acted, files: null };
  const names = paths.map((path) => basename(path)).join(', ');
  try {
    await frame.session.send('DOM.setFileInputFiles', { files: [...paths], ...field });
    const files = 'objectId' in field ? await callIn<Uploaded['files']>(frame, FILES, { ...field, ms: LOOK_MS }) : null;
    return done({ ...data, files }, `gave ${names || 'no file'} to ${element.name}`);
  } catch (error) {
    if (isCdpFailure(error, 'dialog', 'closed'))
      return done(data, `gave ${names} to ${element.name}; ${error.message}`);
    if (error instanceof SandboxError) return undone(data, `the files may not have arrived: ${error.message}`);
    throw error;
  }
}

/** The chooser of the browser stays closed: the files go to the field that asked for them. */
async function throughChooser(
  element: Element,
  paths: readonly string[],
  deadline: Deadline,
): Promise<Outcome<Uploaded>> {
  const { session } = element.frame;
  const { promise, resolve } = Promise.withResolvers<Protocol.Page.FileChooserOpenedEvent>();
  using _listening = session.on('Page.fileChooserOpened', resolve);
  await element.tab.takeInput();
  await session.send('Page.setInterceptFileChooserDialog', { enabled: true }, LOOK_MS);
  try {
    const clicked = await clickElement(element, { button: 'left', clickCount: 1, timeoutMs: 0 }, deadline);
    const nothing = { ...clicked.data, files: null };
    if (!clicked.success) return undone(nothing, clicked.message, clicked.hint);
    if ((await waitFor(promise, { ms: CHOOSER_MS, signal: element.tab.gone })) !== 'settled') {
      return undone(
        nothing,
        `${clicked.message}; no file chooser opened`,
        'name the file field, or the button that opens it',
      );
    }
    const { backendNodeId, mode } = await promise;
    if (backendNodeId === undefined) return undone(nothing, `${clicked.message}; the chooser has no field in the page`);
    if (paths.length > 1 && mode !== 'selectMultiple') {
      return undone(nothing, `${clicked.message}; the chooser takes one file`, 'give one path');
    }
    return await setFiles(element, paths, { backendNodeId }, clicked.data);
  } finally {
    session.send('Page.setInterceptFileChooserDialog', { enabled: false }, LOOK_MS).catch(() => undefined);
  }
}

import { expect } from 'vitest';
import type { Sandbox } from '../../images/sandbox.ts';

interface Tab {
  readonly id: string;
}

const WHAT = /textbox "What".*\[ref=(e\d+)\]/;

/**
 * Opens a tab by the API; it is behind those that are opened later. It shows a page, since browser-use takes and closes
 * the empty tabs that it finds.
 */
export async function openByRest(sandbox: Sandbox, site: string): Promise<string> {
  const { id } = await sandbox.post<Tab>('/v2/browser/tabs', { url: `${site}/new` });
  await sandbox.post('/v2/browser/wait', { tab_id: id, text: 'the new place' });
  return id;
}

/** Works on a tab by the API until it is stopped; answers how often it did all of it. */
export async function workByRest(
  sandbox: Sandbox,
  { tab_id, site }: { readonly tab_id: string; readonly site: string },
  stopped: AbortSignal,
): Promise<number> {
  const post = <T>(path: string, body: object): Promise<T> =>
    sandbox.post<T>(`/v2/browser/${path}`, { tab_id, timeout: 120, ...body });
  let rounds = 0;
  while (!stopped.aborted || rounds === 0) {
    const text = `round ${rounds}`;
    await post('navigate', { url: `${site}/order` });
    const { snapshot } = await sandbox.post<{ snapshot: string }>('/v2/browser/snapshot', { tab_id });
    expect(snapshot).toMatch(WHAT);
    const ref = WHAT.exec(snapshot)?.[1];
    expect(await post('fill', { ref, value: text })).toMatchObject({ value: text });
    await post('fill', { selector: 'select', value: 'large' });
    const picture = await sandbox.fetch(`/v1/browser/screenshot?tab_id=${tab_id}`);
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
    await picture.arrayBuffer();
    await post('click', { selector: 'button' });
    await post('wait', { text: `ordered large ${text}` });
    rounds += 1;
  }
  await sandbox.fetch(`/v2/browser/tabs/${tab_id}`, { method: 'DELETE' });
  return rounds;
}

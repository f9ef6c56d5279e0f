import { expect } from 'vitest';
import { keepPicture } from './person.ts';
import type { Sandbox } from './sandbox.ts';

interface Bounds {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface DesktopNode {
  readonly node_id: string;
  readonly role: string;
  readonly name: string;
  readonly states: readonly string[];
  readonly bounds: Bounds | null;
  readonly value: string | null;
}

interface DesktopWindow {
  readonly window_id: string;
  readonly title: string;
  readonly bounds: Bounds;
  readonly active: boolean;
}

interface ActionAnswer {
  readonly success: boolean;
  readonly message: string;
  readonly data: { readonly status: string };
}

export type DesktopStep = Readonly<{ action_type: string } & Record<string, unknown>>;

/** What an agent does with the desktop of a sandbox, over its public port. */
export class DesktopAgent {
  readonly #sandbox: Sandbox;

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  /** Carries one action out; `path` is `/v1/browser/actions` for a client of 1.x. */
  async act(action: DesktopStep, path = '/v2/computer/actions'): Promise<void> {
    const answer = await this.#sandbox.fetch(path, { method: 'POST', body: JSON.stringify(action) });
    const body = (await answer.json()) as ActionAnswer;
    expect([answer.status, body]).toEqual([200, expect.objectContaining({ success: true })]);
  }

  /** Carries a batch out, all of it. */
  async batch(...actions: readonly DesktopStep[]): Promise<void> {
    const data = await this.#sandbox.post('/v2/computer/actions/batch', { actions });
    expect(data).toMatchObject({ performed: actions.length, failed_index: null, status: 'success' });
  }

  async nodes(query: Readonly<Record<string, string>>): Promise<readonly DesktopNode[]> {
    const search = new URLSearchParams({ scope: 'desktop', match: 'exact', ...query });
    return (await this.#get<{ nodes: DesktopNode[] }>(`/v2/computer/accessibility/nodes?${search}`)).nodes;
  }

  /** Waits for a node and resolves with the first one. */
  async node(query: Readonly<Record<string, string>>): Promise<DesktopNode> {
    let found: DesktopNode | undefined;
    await expect
      .poll(async () => {
        [found] = await this.nodes(query);
        return found === undefined ? `no node ${JSON.stringify(query)}` : 'found';
      })
      .toBe('found');
    if (!found) throw new Error('no node');
    return found;
  }

  /** Waits until a node is enabled, as a button to save is once there is a name, and does its usual action. */
  async press(query: Readonly<Record<string, string>>): Promise<void> {
    const { node_id } = await this.node({ ...query, states: 'sensitive' });
    await this.act({ action_type: 'NODE_INVOKE', node_id });
  }

  /** Finds a node and clicks on its middle. */
  async click(query: Readonly<Record<string, string>>): Promise<void> {
    const { bounds } = await this.node(query);
    if (!bounds) throw new Error(`${JSON.stringify(query)} has no place`);
    const [x, y] = [bounds.x + bounds.width / 2, bounds.y + bounds.height / 2];
    await this.act({ action_type: 'CLICK', x, y });
  }

  async windows(): Promise<readonly DesktopWindow[]> {
    return (await this.#get<{ windows: DesktopWindow[] }>('/v2/computer/windows')).windows;
  }

  /** Waits for a window whose title contains the text. */
  async window(title: string): Promise<DesktopWindow> {
    let found: DesktopWindow | undefined;
    const titles = async (): Promise<string> => {
      const windows = await this.windows();
      found = windows.find((window) => window.title.includes(title));
      return windows.map((window) => window.title).join(', ');
    };
    await expect.poll(titles).toContain(title);
    if (!found) throw new Error(`no window ${title}`);
    return found;
  }

  async activate(title: string): Promise<void> {
    await this.act({ action_type: 'WINDOW_ACTIVATE', window_id: (await this.window(title)).window_id });
  }

  /** Writes a screenshot to dist/e2e-screenshots. */
  async picture(name: string): Promise<void> {
    const answer = await this.#sandbox.fetch('/v2/computer/screenshot?cursor=true');
    expect(answer.headers.get('content-type')).toBe('image/png');
    await keepPicture(name, new Uint8Array(await answer.arrayBuffer()));
  }

  async readFile(path: string): Promise<string> {
    return (await this.#get<{ content: string }>(`/v2/fs/read?${new URLSearchParams({ path })}`)).content;
  }

  async #get<T>(path: string): Promise<T> {
    const answer = await this.#sandbox.fetch(path);
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`);
    return (JSON.parse(text) as { data: T }).data;
  }
}

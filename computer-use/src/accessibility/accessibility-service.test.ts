import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { has } from '../../../scripts/testing/machine.ts';
import { AccessibilityService, type NodeQuery, type TreeRequest } from './accessibility-service.ts';
import { GtkDesktop, type GtkWindow } from './gtk-desktop.fixture.ts';
import type { AccessibleNode } from './node.ts';

const TREE: TreeRequest = {
  scope: 'desktop',
  includeOffscreen: false,
  maxDepth: 32,
  maxNodes: 5_000,
  timeoutMs: 60_000,
};
const QUERY: NodeQuery = { ...TREE, match: 'substring', limit: 50 };

describe.skipIf(!has('GTK'))('accessibility of a GTK window', () => {
  let desktop: GtkDesktop;
  let window: GtkWindow;
  let service: AccessibilityService;

  beforeAll(async () => {
    desktop = await GtkDesktop.start();
    window = await desktop.window();
    service = new AccessibilityService({ sessionBus: desktop.sessionBus });
  });

  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await desktop[Symbol.asyncDispose]();
  });

  const named = async (name: string, role?: string): Promise<AccessibleNode> => {
    const { nodes } = await service.find({ ...QUERY, name, role, match: 'exact' });
    const [node] = nodes;
    if (!node) throw new Error(`no node ${name}`);
    return node;
  };

  test('[a11y.tree] the tree has roles, names, states and places', async () => {
    await expect.poll(async () => (await service.tree(TREE)).root?.children.length).toBe(1);
    const { root, isTruncated, silent } = await service.tree(TREE);
    expect([isTruncated, silent, root?.role]).toEqual([false, [], 'desktop frame']);
    const [application] = root?.children ?? [];
    expect(application?.role).toBe('application');
    const frame = application?.children[0];
    expect(frame).toMatchObject({ role: 'frame', name: 'Probe', bounds: { width: 400 } });
    const save = await named('Save');
    expect(save).toMatchObject({ role: 'button', description: '' });
    expect(save.states).toEqual(expect.arrayContaining(['enabled', 'focusable', 'sensitive', 'showing', 'visible']));
    const [width = 0, height = 0] = [save.bounds?.width, save.bounds?.height];
    expect(width > 100 && height > 10 && height < 100).toBe(true);
  });

  test('[a11y.query] nodes are found by role, name and states, up to the limit', async () => {
    const names = async (query: Partial<NodeQuery>): Promise<string[]> =>
      (await service.find({ ...QUERY, ...query })).nodes.map(({ name }) => name);
    expect(await names({ name: 'sAVE' })).toEqual(['Save', 'Save as']);
    expect(await names({ name: 'Save', match: 'exact' })).toEqual(['Save']);
    expect(await names({ name: '^Save|^Agree$', match: 'regex', role: 'push-button' })).toEqual(['Save', 'Save as']);
    expect(await names({ role: 'checkbox' })).toEqual(['Agree']);
    expect(await names({ role: 'check box', states: ['checked'] })).toEqual([]);
    expect(await names({ states: ['EDITABLE', 'single-line'], role: 'text' })).toContain('Title');
    const { nodes, isTruncated } = await service.find({ ...QUERY, role: 'button', limit: 1 });
    expect([nodes.length, isTruncated]).toEqual([1, true]);
  });

  test('[a11y.query-wrong] unknown roles and states, and patterns that are none, are refused', async () => {
    for (const [query, field] of [
      [{ role: 'knob' }, 'role'],
      [{ states: ['shiny'] }, 'states'],
      [{ name: '(', match: 'regex' }, 'name'],
    ] as const) {
      await expect(service.find({ ...QUERY, ...query })).rejects.toMatchObject({
        kind: 'unprocessable',
        details: { field },
      });
    }
  });

  test('[a11y.offscreen] hidden nodes are left out unless they are asked for', async () => {
    const open = { ...QUERY, name: 'Open', match: 'exact' } as const;
    expect((await service.find(open)).nodes).toEqual([]);
    expect((await service.find({ ...open, includeOffscreen: true })).nodes).toMatchObject([
      { role: 'menu item', bounds: undefined },
    ]);
  });

  test('[a11y.offscreen] what is on a page without a tab is not hidden', async () => {
    await window.tell('page On the page');
    await expect.poll(async () => (await service.find({ ...QUERY, name: 'On the page' })).nodes).toHaveLength(1);
    await window.tell('remove pages');
  });

  test('[a11y.limits] depth and number of nodes are bounded, and the answer says so', async () => {
    const shallow = await service.tree({ ...TREE, maxDepth: 2 });
    expect(shallow.isTruncated).toBe(true);
    expect(shallow.root?.children[0]?.children[0]).toMatchObject({ role: 'frame', children: [] });
    const few = await service.tree({ ...TREE, maxNodes: 5 });
    expect([few.isTruncated, few.nodeCount]).toEqual([true, 6]);
  });

  test('[a11y.below] a tree begins at a node', async () => {
    const frame = await named('Probe', 'frame');
    const { root, isTruncated } = await service.tree({ ...TREE, nodeId: frame.id });
    expect([root?.id, root?.name, isTruncated]).toEqual([frame.id, 'Probe', false]);
  });

  test('[a11y.foreground] the foreground is the window that the window manager calls active', async () => {
    const other = await desktop.window('Other');
    const active = { processId: other.child.pid, title: 'Other' };
    await using foreground = new AccessibilityService({
      sessionBus: desktop.sessionBus,
      activeWindow: async () => active,
    });
    const find = async () => (await foreground.find({ ...QUERY, scope: 'foreground', role: 'frame' })).nodes;
    await expect.poll(async () => (await find()).map(({ name }) => name)).toEqual(['Other']);
    other.child.kill('SIGKILL');
    await expect.poll(async () => (await service.find({ ...QUERY, role: 'frame' })).nodes.length).toBe(1);
    expect((await foreground.tree({ ...TREE, scope: 'foreground' })).root).toBeUndefined();
  });

  test('[a11y.invoke] a button is pressed, and a menu item that is not open', async () => {
    await service.nodes.invoke((await named('Save as')).id);
    await window.said({ clicked: 'Save as' });
    const [open] = (await service.find({ ...QUERY, name: 'Open', includeOffscreen: true })).nodes;
    await service.nodes.invoke(open?.id ?? '', 'CLICK');
    await window.said({ activated: 'Open' });
    const label = await named('Probe', 'frame');
    await expect(service.nodes.invoke(label.id)).rejects.toMatchObject({ kind: 'unprocessable' });
    await expect(service.nodes.invoke((await named('Save')).id, 'fly')).rejects.toMatchObject({
      kind: 'unprocessable',
      details: { hint: expect.stringContaining('Click') },
    });
  });

  test('[a11y.invoke-disabled] a disabled button is refused, and pressed once it is enabled', async () => {
    const { id } = await named('Save');
    await window.tell('disable Save');
    const refusal = { kind: 'unprocessable', message: expect.stringContaining('is disabled') };
    await expect(service.nodes.invoke(id)).rejects.toMatchObject(refusal);
    await window.tell('enable Save');
    await service.nodes.invoke(id);
    await window.said({ clicked: 'Save' });
  });

  test('[a11y.focus] a field takes the focus', async () => {
    await service.nodes.focus((await named('Title')).id);
    await expect.poll(async () => (await named('Title')).states).toContain('focused');
  });

  test('[a11y.set-value] text, numbers, checks and options are set', async () => {
    await service.nodes.setValue((await named('Title')).id, 'Größe 漢字 😀');
    expect((await named('Title')).value).toBe('Größe 漢字 😀');
    await service.nodes.setValue((await named('Number')).id, '7');
    expect((await named('Number')).value).toBe('7');
    await expect(service.nodes.setValue((await named('Number')).id, '11')).rejects.toMatchObject({ kind: 'invalid' });
    const agree = await named('Agree');
    await service.nodes.setValue(agree.id, 'true');
    await expect.poll(async () => (await named('Agree')).states).toContain('checked');
    await service.nodes.setValue(agree.id, 'true');
    expect((await named('Agree')).states).toContain('checked');
    const choice = await named('Choice', 'combo box').catch(() => named('One', 'combo box'));
    await service.nodes.setValue(choice.id, 'Two');
    await window.said({ chosen: 'Two' });
    await expect(service.nodes.setValue(choice.id, 'Four')).rejects.toMatchObject({
      kind: 'unprocessable',
      details: { hint: expect.stringContaining('Three') },
    });
  });

  test('[a11y.ids] an id never means another node: of a node that is gone it is unknown', async () => {
    await window.tell('add Passing');
    const passing = await named('Passing');
    expect((await named('Passing')).id).toBe(passing.id);
    await window.tell('remove Passing');
    await window.tell('add Following');
    await expect(service.nodes.invoke(passing.id)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(service.tree({ ...TREE, nodeId: passing.id })).rejects.toMatchObject({ kind: 'not_found' });
    expect((await named('Following')).id).not.toBe(passing.id);
    await expect(service.nodes.focus('abcdef-1')).rejects.toMatchObject({ kind: 'not_found' });
    expect(window.events).not.toContainEqual({ clicked: 'Following' });
  });

  test('[a11y.silent] a program that hangs costs its own part of the tree, within the deadline', async () => {
    const hung = await desktop.window('Hung');
    await expect.poll(async () => (await service.find({ ...QUERY, role: 'frame' })).nodes.length).toBe(2);
    const [frame] = (await service.find({ ...QUERY, name: 'Hung', role: 'frame' })).nodes;
    hung.child.kill('SIGSTOP');
    const begun = performance.now();
    const { root, isTruncated, silent } = await service.tree({ ...TREE, timeoutMs: 6_000 });
    expect(performance.now() - begun).toBeLessThan(30_000);
    expect([isTruncated, silent.length]).toEqual([true, 1]);
    expect(root?.children.flatMap(({ children }) => children.map(({ name }) => name))).toEqual(['Probe']);
    const below = service.tree({ ...TREE, timeoutMs: 300, nodeId: frame?.id });
    await expect(below).rejects.toMatchObject({ kind: 'unavailable' });
    hung.child.kill('SIGKILL');
  });

  test('[a11y.many] a window of 300 labels is read whole', async () => {
    await window.tell('labels 300');
    const { nodeCount, isTruncated } = await service.tree({ ...TREE, includeOffscreen: true });
    expect([nodeCount > 300, isTruncated]).toEqual([true, false]);
  });
});

test.skipIf(!has('GTK'))(
  '[a11y.bus] without a bus there is none; after its death it is found again, and old ids are unknown',
  async () => {
    await using desktop = await GtkDesktop.start();
    await using nothing = new AccessibilityService({ sessionBus: undefined });
    await expect(nothing.tree(TREE)).rejects.toMatchObject({
      kind: 'unavailable',
      details: { hint: expect.any(String) },
    });
    await using service = new AccessibilityService({ sessionBus: desktop.sessionBus });
    const frames = async () => (await service.find({ ...QUERY, role: 'frame' })).nodes;
    const first = await desktop.window('First');
    await expect.poll(async () => (await frames()).map(({ name }) => name)).toEqual(['First']);
    const [{ id } = { id: '' }] = await frames();
    first.child.kill('SIGKILL');
    await desktop.killBus();
    await expect.poll(() => service.isAvailable()).toBe(false);
    await desktop.startBus();
    await desktop.window('Second');
    await expect.poll(frames).toMatchObject([{ name: 'Second' }]);
    await expect(service.nodes.focus(id)).rejects.toMatchObject({ kind: 'not_found' });
  },
  180_000,
);

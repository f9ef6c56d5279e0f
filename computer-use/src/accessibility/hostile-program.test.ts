import type { App } from '@sandbox/api/http/app-types.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { has } from '../../../scripts/testing/machine.ts';
import { workerFor } from '../worker.fixture.ts';
import { type Answer, BusProgram, type Question, type Reply, ROOT, wellMade } from './bus-program.fixture.ts';
import { GtkDesktop } from './gtk-desktop.fixture.ts';

const COMBO_BOX = 11;
const MENU = 33;

const SOUND = wellMade('Hostile');
const LARGE = 'x'.repeat(1_000_000);
const GARBAGE = 'a name\u0007'.repeat(1_000);

/** Well made, except for the methods in the table; null: no reply. */
const except =
  (replies: Readonly<Record<string, ((question: Question) => Reply | Error) | null>>): Answer =>
  (question) => {
    const reply = replies[question.member];
    if (reply === null) return undefined;
    return reply === undefined ? SOUND(question) : reply(question);
  };

const all = (entries: Readonly<Record<string, readonly unknown[]>>): Answer =>
  except({ GetAll: () => ['a{sv}', Object.entries(entries)] });

/** Children that are not objects. An array of strings may hold what the type of a path may not. */
const children = (listed: readonly (readonly unknown[])[], signature = 'a(ss)'): Answer =>
  except({ GetChildren: () => [signature, listed] });

const PROGRAMS: readonly (readonly [what: string, answer: Answer])[] = [
  [
    'has children with invalid bus names',
    children(['', ':', 'a b', ':1', ':1..2', `:1.${'9'.repeat(300)}`, ':1.2\n'].map((name) => [name, ROOT])),
  ],
  [
    'has children with invalid paths',
    except({
      GetChildren: ({ self }) => {
        const paths = ['', 'root', '/', '/a/', '//', '/a-b', '/a\n', `/${LARGE}`, '/null'];
        return ['a(ss)', paths.map((path) => [self, path])];
      },
    }),
  ],
  ['has children of another type', children([[1], [2]], 'a(u)')],
  ['has a hundred thousand children', children(Array(100_000).fill([':9.9', ROOT]), 'a(so)')],
  ['says that it has two billion', all({ ChildCount: ['i', 2_000_000_000], Parent: ['s', 'none'] })],
  ['says that it has fewer than none', all({ ChildCount: ['d', -1e300] })],
  ['is its own child', except({ GetChildren: ({ self }) => ['a(so)', Array(50).fill([self, ROOT])] })],
  [
    'has a name of a million characters',
    all({ Name: ['s', LARGE], Description: ['s', GARBAGE], ChildCount: ['i', 1] }),
  ],
  ['has a number for a name', all({ Name: ['d', 0.5], ChildCount: ['s', GARBAGE], ['__proto__']: ['s', 'x'] })],
  ['has an unknown role', except({ GetRole: () => ['u', 4_294_967_295] })],
  ['has words for role and states', except({ GetRole: () => ['s', GARBAGE], GetState: () => ['as', [GARBAGE, '']] })],
  ['has a hundred thousand states', except({ GetState: () => ['au', Array(100_000).fill(0xffffffff)] })],
  ['has fractional coordinates', except({ GetExtents: () => ['(dddd)', [0.5, -1e300, 1e300, 0.25]] })],
  ['has words for coordinates', except({ GetExtents: () => ['as', [GARBAGE, '1', '2', '3']] })],
  ['answers without a value', except({ GetAll: () => [''], GetRole: () => [''], GetState: () => [''] })],
  ['refuses everything', () => new Error(LARGE)],
];

describe.skipIf(!has('GTK'))('a program on the accessibility bus', () => {
  let desktop: GtkDesktop;
  let worker: App;
  let good: BusProgram;

  beforeAll(async () => {
    desktop = await GtkDesktop.start();
    worker = await workerFor(desktop.display, { DBUS_SESSION_BUS_ADDRESS: desktop.sessionBus });
    good = await BusProgram.start(desktop.sessionBus, wellMade('Good'));
  });

  afterAll(async () => {
    await good?.[Symbol.asyncDispose]();
    await worker?.close();
    await desktop?.[Symbol.asyncDispose]();
  });

  const get = async (path: string) => {
    const answer = await worker.inject({ method: 'GET', url: `/v2/computer/accessibility${path}` });
    return { status: answer.statusCode, bytes: answer.rawPayload.length, ...answer.json() };
  };
  const goodId = async (): Promise<string> => {
    const { status, data } = await get('/nodes?scope=desktop&name=Good&role=frame&timeout_ms=60000');
    expect(status).toBe(200);
    expect(data.nodes).toMatchObject([{ name: 'Good', bounds: { x: 1, y: 2, width: 300, height: 200 } }]);
    return data.nodes[0].node_id;
  };

  describe('costs no other program its tree and ends no connection', () => {
    let id: string;

    beforeEach(async () => {
      id = await goodId();
    });

    test.each(PROGRAMS)('[a11y.hostile] that %s', async (_what, answer) => {
      await using _hostile = await BusProgram.start(desktop.sessionBus, answer);
      const tree = await get('?scope=desktop&timeout_ms=60000&include_offscreen=true');
      expect([tree.status, tree.data?.silent]).toEqual([200, []]);
      expect(tree.bytes).toBeLessThan(5_000_000);
      expect((await get('?scope=foreground&timeout_ms=60000')).status).toBe(200);
      // Ids live as long as the connection to the bus.
      expect(await goodId()).toBe(id);
    });
  });

  test.each([
    ['whose menu is its own option', { GetActions: () => ['a(sss)', []] as Reply }],
    [
      'whose actions fill a million characters',
      { GetActions: () => ['a(sss)', Array(5).fill([LARGE, '', ''])] as Reply },
    ],
    ['whose actions are numbers', { GetActions: () => ['au', Array(1_000).fill(7)] as Reply }],
  ])('[a11y.hostile] %s answers for itself alone', async (_what, replies) => {
    const menu = { GetRole: ({ path }: Question): Reply => ['u', path === ROOT ? COMBO_BOX : MENU] };
    const itself = { GetChildren: ({ self }: Question): Reply => ['a(so)', [[self, `${ROOT}/menu`]]] };
    await using _hostile = await BusProgram.start(desktop.sessionBus, except({ ...menu, ...itself, ...replies }));
    const { data } = await get('/nodes?scope=desktop&role=combo-box&timeout_ms=60000');
    const [{ node_id }] = data.nodes;
    const id = await goodId();
    for (const step of [
      { action_type: 'NODE_SET_VALUE', node_id, value: 'large' },
      { action_type: 'NODE_INVOKE', node_id, action: 'fly' },
      { action_type: 'NODE_FOCUS', node_id },
    ]) {
      const answer = await worker.inject({ method: 'POST', url: '/v2/computer/actions', payload: step });
      expect(answer.json()).toMatchObject({ success: false });
      expect(answer.body.length).toBeLessThan(10_000);
    }
    expect(await goodId()).toBe(id);
  });

  test('[a11y.hostile] that sends a longer message than is read has the worker connect again', async () => {
    await using hostile = await BusProgram.start(desktop.sessionBus, except({ GetRole: () => ['s', LARGE.repeat(9)] }));
    const { status, hint } = await get('?scope=desktop&timeout_ms=60000');
    expect([status, hint]).toEqual([503, 'call again']);
    await hostile[Symbol.asyncDispose]();
    await goodId();
  });

  test('[a11y.hostile] that ends while it is asked is left out', async () => {
    const ended: Promise<void>[] = [];
    const program: BusProgram = await BusProgram.start(desktop.sessionBus, ({ member }) => {
      if (member === 'GetRole') ended.push(program[Symbol.asyncDispose]());
      return undefined;
    });
    const id = await goodId();
    await Promise.all(ended);
    expect([ended.length > 0, await goodId()]).toEqual([true, id]);
  });

  describe('that never answers', () => {
    test('[a11y.silent] is named, at the end of the deadline too, and in front', async () => {
      const id = await goodId();
      await using silent = await BusProgram.start(desktop.sessionBus, () => undefined);
      for (const path of ['?scope=desktop', '?scope=foreground', '/nodes?scope=foreground&name=Good']) {
        const { status, data } = await get(`${path}${path.includes('?') ? '&' : '?'}timeout_ms=2000`);
        expect([path, status, data?.truncated, data?.silent]).toEqual([path, 200, true, [silent.name]]);
      }
      const front = await get('?scope=foreground&timeout_ms=4000');
      expect(front.data.root).toMatchObject({ role: 'application', children: [{ node_id: id, name: 'Good' }] });
    });
  });
});

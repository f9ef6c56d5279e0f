import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TestApp } from '../../daemon/src/app.fixture.ts';
import { hasKeeper } from '../../daemon/src/hosts.fixture.ts';
import { ROOT } from '../root.ts';
import { has } from '../testing/machine.ts';
import { tempDir } from '../testing/temp-dir.ts';

const DIRECTORY = join(ROOT, 'docs/monitoring');
/** Series that Prometheus makes itself. */
const OF_PROMETHEUS = ['up'];

interface Panel {
  readonly type: string;
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

interface Judgement {
  readonly status: number | null;
  readonly said: string;
}

function promtool(args: readonly string[], input = ''): Judgement {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' });
  return { status, said: stdout + stderr };
}

/** The metrics of a daemon that has done some of everything that needs no further program. */
async function filledMetrics(): Promise<string> {
  await using directory = await tempDir();
  const accessKeysFile = join(directory.path, 'keys');
  await writeFile(accessKeysFile, JSON.stringify({ name: 'one', key: 'key-of-one', scopes: ['all'] }));
  await using daemon = await TestApp.start({ accessKeysFile });
  const headers = { 'x-api-key': 'key-of-one' };
  await daemon.inject({ url: '/nothing', headers });
  await daemon.inject('/compat/e2b/sandboxes');
  await daemon.post('/v2/commands', { command: 'echo out; echo err >&2; exit 3' }, headers);
  await daemon.post('/v2/pty/sessions', { id: 'one' }, headers);
  await daemon.post('/v2/watch', { path: daemon.directory }, headers);
  return (await daemon.inject({ url: '/metrics', headers })).body;
}

async function panels(): Promise<Panel[]> {
  const { panels: all } = JSON.parse(await readFile(join(DIRECTORY, 'dashboard.json'), 'utf8'));
  return (all as Panel[]).filter(({ type }) => type !== 'row');
}

/** The queries with values for Grafana's variables. */
async function queries(): Promise<string[]> {
  const all = (await panels()).flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  return all.map((expr) =>
    expr.replaceAll('$__rate_interval', '5m').replaceAll('$job', 'sandbox').replaceAll('$instance', '.*'),
  );
}

/** Names of the series that an expression selects. */
function seriesIn(expression: string): string[] {
  return Array.from(expression.matchAll(/([a-z][a-z0-9_]*)\{/g), ([, name = '']) => name);
}

test('[metrics.dashboard] each series of the dashboard and of the alerts is one of /metrics', async () => {
  const metrics = await filledMetrics();
  const shown = new Set(Array.from(metrics.matchAll(/^([a-z][a-z0-9_]*)[ {]/gm), ([, name = '']) => name));
  const rules = await readFile(join(DIRECTORY, 'alerts.yaml'), 'utf8');
  const named = [...new Set([...(await queries()), rules].flatMap(seriesIn))];
  expect(named.length).toBeGreaterThan(40);
  const known = named.filter((name) => hasKeeper || !name.startsWith('keeper_'));
  expect(known.filter((name) => !shown.has(name) && !OF_PROMETHEUS.includes(name))).toEqual([]);
});

test('[metrics.dashboard] the dashboard shows each figure of the service’s own', async () => {
  const metrics = await filledMetrics();
  const own = Array.from(metrics.matchAll(/^# TYPE (\S+)/gm), ([, name = '']) => name).filter(
    (name) => !/^(?:nodejs|process)_/.test(name),
  );
  const named = (await queries()).flatMap(seriesIn).map((name) => name.replace(/_(?:bucket|sum|count)$/, ''));
  expect(own.length).toBeGreaterThan(25);
  expect(own.filter((name) => !named.includes(name))).toEqual([]);
});

test('the panels of the dashboard do not overlap, and each says what it shows', async () => {
  const { panels: all } = JSON.parse(await readFile(join(DIRECTORY, 'dashboard.json'), 'utf8'));
  const cells = new Set<string>();
  for (const { title, type, description, gridPos } of all) {
    expect([title, type === 'row' || description.endsWith('.')]).toEqual([title, true]);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        expect([title, cells.has(`${x},${y}`)]).toEqual([title, false]);
        cells.add(`${x},${y}`);
      }
    }
  }
});

describe.runIf(has('promtool'))('promtool', () => {
  test('[metrics.promtool] accepts the metrics', async () => {
    expect(promtool(['check', 'metrics'], await filledMetrics())).toEqual({ status: 0, said: '' });
  });

  test('[metrics.promtool] accepts the alert rules, and their tests pass', () => {
    expect(promtool(['check', 'rules', join(DIRECTORY, 'alerts.yaml')])).toMatchObject({ status: 0 });
    expect(promtool(['test', 'rules', join(DIRECTORY, 'alerts.test.yaml')])).toMatchObject({ status: 0 });
  });

  test('[metrics.dashboard] accepts each query of the dashboard', async () => {
    await using directory = await tempDir();
    const file = join(directory.path, 'queries.yaml');
    const rules = (await queries()).map((expr, n) => ({ record: `query:${n}`, expr }));
    await writeFile(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
    expect(promtool(['check', 'rules', file])).toMatchObject({ status: 0 });
    await writeFile(file, JSON.stringify({ groups: [{ name: 'broken', rules: [{ record: 'x', expr: 'rate(up)' }] }] }));
    expect(promtool(['check', 'rules', file]).status).toBe(1);
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@sandbox/program/logger.ts';
import { describe, expect, test } from 'vitest';
import { compiles, FixtureBuilds } from '../keeper/fixture-builds.fixture.ts';
import { idIn, keeperProgram, RunningKeeper } from '../keeper/keeper.fixture.ts';
import { PortableHost } from '../portable/portable-host.ts';
import { rejectionOf } from '../process-host.fixture.ts';
import type { ProcessHost, StartSpec } from '../process-host.ts';
import { Processes } from './processes.ts';

const logger = createLogger('test', 'info', [], { write: () => {} });
const LIMIT = { ms: 60_000 };

function forkerIn(directory: string, program: string): StartSpec {
  const id = idIn(directory, 'forker');
  const env = { PATH: '/usr/bin:/bin', SVC_COMMAND_ID: id };
  return { id, file: program, args: [], cwd: '/', env, stdin: 'pipe', outputMaxBytes: 1_048_576, forks: true };
}

describe.runIf(compiles && keeperProgram !== undefined)('a forker and what it forks', () => {
  test('belong to one owner, who alone may reserve and signal', async () => {
    using builds = new FixtureBuilds();
    await using keeper = await RunningKeeper.start(keeperProgram ?? '');
    await using host = await keeper.host();
    const processes = Processes.open(host, keeper.directory, logger);
    const [a, b] = [processes.of('a'), processes.of('b')];
    expect(a.promises.adopts).toBe(true);
    const forker = await a.start(forkerIn(keeper.directory, builds.of('forker')));
    const spec = { id: idIn(keeper.directory, 'child'), stdin: 'null', outputMaxBytes: 1_048_576 } as const;
    expect(await rejectionOf(b.reserve(forker.id, spec, LIMIT))).toMatchObject({ kind: 'not_found' });
    const place = await a.reserve(forker.id, spec, LIMIT);
    expect(await rejectionOf(a.reserve(forker.id, spec, LIMIT))).toMatchObject({ kind: 'conflict' });
    await forker.writeStdin(Buffer.from(`fork ${place.id} 0 usual wait\n`));
    const { pid, ended } = await place.adopted;
    expect(a.ids().sort()).toEqual([spec.id, forker.id].sort());
    expect(await b.signal([{ id: spec.id, pid, running: true }], 'SIGKILL')).toBe(0);
    expect(await a.endAll(60_000)).toBe(2);
    expect((await ended).signal).toBe('SIGTERM');
  });
});

test('the portable host says that it takes nothing over', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'adoption-'));
  await using host: ProcessHost = new PortableHost({
    output: join(directory, 'output'),
    scratch: join(directory, 'scratch'),
  });
  const owned = Processes.open(host, directory, logger).of('a');
  expect(owned.promises.adopts).toBe(false);
  const spec = forkerIn(directory, '/bin/true');
  expect(await rejectionOf(owned.start(spec))).toMatchObject({ kind: 'unsupported' });
  const child = { id: 'x', stdin: 'null', outputMaxBytes: 4096 } as const;
  expect(await rejectionOf(host.reserve('forker', child, LIMIT))).toMatchObject({ kind: 'unsupported' });
  rmSync(directory, { recursive: true });
});

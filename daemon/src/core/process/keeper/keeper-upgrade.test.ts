import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildKeeper, KEEPER } from '../../../../../scripts/build/keeper.ts';
import { rejectionOf, textOf } from '../process-host.fixture.ts';
import { idIn, keeperProgram, RawClient, RunningKeeper, startFrame, startIn } from './keeper.fixture.ts';
import { KeeperHost } from './keeper-host.ts';

const OLD = 7;
const ROOT = join(import.meta.dirname, '../../../../..');

/** The directory that a keeper of another protocol version serves, and the client it had. */
async function startOld(keeper: RunningKeeper, ...scripts: string[]): Promise<void> {
  await using client = await RawClient.open(join(keeper.directory, `keeper-v${OLD}.sock`), OLD);
  for (const [index, script] of scripts.entries()) {
    client.send(startFrame(idIn(keeper.directory, index), script));
    await client.state();
  }
}

const NOTHING = { stdout: 0, stderr: 0 };

describe.runIf(keeperProgram !== undefined)('a keeper of another protocol version', () => {
  const program = keeperProgram ?? '';
  let builds = '';
  beforeAll(async () => {
    builds = mkdtempSync(join(tmpdir(), 'keeper-old-'));
    await buildKeeper(ROOT, { ...KEEPER, flags: ['-O1', `-DPROTOCOL_VERSION=${OLD}`] }, builds);
  });
  afterAll(() => rmSync(builds, { recursive: true }));
  const old = (): Promise<RunningKeeper> => RunningKeeper.start(join(builds, 'keeper'));

  /** It ends soon without a client: where it has ended before the connection, it is started again. */
  const joinInTime = async (directory: string): Promise<RawClient> => {
    for (;;) {
      await promisify(execFile)(join(builds, 'keeper'), ['serve', '--detach', '--idle', '100', directory]);
      const client = await RawClient.open(join(directory, `keeper-v${OLD}.sock`), OLD).catch(() => undefined);
      if (client !== undefined) return client;
    }
  };

  test('keeps its commands, which write and end visibly, beside those of the new one', async () => {
    await using keeper = await old();
    const go = join(keeper.directory, 'go');
    await startOld(keeper, `echo one; mkfifo ${go}; read line < ${go}; echo "$line"; echo err >&2; exit 9`);
    await using host = await KeeperHost.open({ directory: keeper.directory, program });
    const id = idIn(keeper.directory, 0);
    const hosted = host.recover(new Map([[id, NOTHING]])).processes.get(id);
    if (hosted === undefined) throw new Error('it was not found');
    await hosted.output.stdout.advanced(0);
    expect(await textOf(hosted.output.stdout)).toBe('one\n');
    expect(await rejectionOf(hosted.writeStdin(Buffer.from('x')))).toMatchObject({ kind: 'conflict' });
    const next = await startIn(host, 'next', `while [ ! -p ${go} ]; do :; done; echo two > ${go}; exit 4`);
    expect(await next.ended).toMatchObject({ exitCode: 4 });
    expect(await hosted.ended).toMatchObject({
      exitCode: 9,
      background: false,
      usage: { maxRssBytes: expect.any(Number) },
    });
    expect(await textOf(hosted.output.stdout)).toBe('one\ntwo\n');
    expect(await textOf(hosted.output.stderr)).toBe('err\n');
    hosted.acknowledgeExit();
  });

  test('its processes can be killed, and are lost when it dies', async () => {
    await using keeper = await old();
    await startOld(keeper, 'exec sleep 1000', 'exec sleep 1000');
    await using host = await KeeperHost.open({ directory: keeper.directory, program });
    const [first, second] = [idIn(keeper.directory, 0), idIn(keeper.directory, 1)];
    const { processes } = host.recover(new Map([first, second].map((id) => [id, NOTHING])));
    expect([...host.recover(new Map(), (id) => id === second).processes.keys()]).toEqual([second]);
    const [killed, lost] = [processes.get(first), processes.get(second)];
    expect(await host.signal([{ id: first, pid: killed?.pid ?? 0, running: true }], 'SIGKILL')).toBe(1);
    expect(await killed?.ended).toMatchObject({ signal: 'SIGKILL' });
    keeper.child.kill('SIGKILL');
    expect(await lost?.ended).toMatchObject({ lost: true });
    expect(await host.signal([{ id: second, pid: lost?.pid ?? 0, running: false }], 'SIGKILL')).toBe(1);
  });

  test('ends when its commands have ended', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'keeper-'));
    const path = join(directory, `keeper-v${OLD}.sock`);
    const client = await joinInTime(directory);
    const go = join(directory, 'go');
    await promisify(execFile)('mkfifo', [go]);
    client.send(startFrame('last', `read line < ${go}; exit 2`));
    await client.state();
    await using host = await KeeperHost.open({ directory, program });
    const hosted = host.recover(new Map([['last', NOTHING]])).processes.get('last');
    client.socket.destroy();
    const watching = connect(path).resume();
    const closed = new Promise<void>((resolve) => watching.on('error', () => {}).on('close', () => resolve()));
    await writeFile(go, '\n');
    expect(await hosted?.ended).toMatchObject({ exitCode: 2 });
    await closed;
    expect(existsSync(path)).toBe(false);
    rmSync(directory, { recursive: true });
  });
});

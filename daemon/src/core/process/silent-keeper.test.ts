import { expect, test } from 'vitest';
import { readConfig } from '../../config.ts';
import { describeSilentKeeper } from '../../silent-keeper.fixture.ts';
import { examine } from '../doctor.ts';

describeSilentKeeper('beside a keeper that is stopped', (kit) => {
  const text = async (path: string): Promise<string> => (await fetch(kit.daemon.base + path)).text();
  const doctor = async (): Promise<unknown> => {
    const config = readConfig([], { SVC_RUNTIME_DIR: kit.directory, SVC_PROCESS_HOST: 'keeper' });
    return (await examine(config, [])).find(({ name }) => name === 'process keeper');
  };

  test('/ready, /metrics and doctor say that it does not answer, and then that it does', async () => {
    await kit.daemon.data('/v2/commands', { command: 'head -c 1000 /dev/zero' });
    const served = await text('/metrics');
    expect(served).toMatch(/^keeper_up 1$/m);
    expect(served).toMatch(/^keeper_output_bytes_total 1000$/m);
    expect(served).toMatch(/^keeper_started_total 1$/m);
    expect(await doctor()).toMatchObject({ ok: true });
    kit.stop();
    const silent = await text('/metrics');
    expect(silent).toMatch(/^keeper_up 0$/m);
    expect(silent).not.toMatch(/^keeper_started_total/m);
    expect(await doctor()).toMatchObject({ ok: false, hint: expect.stringContaining('never ended automatically') });
    const answer = await fetch(`${kit.daemon.base}/ready`);
    expect(answer.status).toBe(503);
    const { data } = (await answer.json()) as { data: { checks: object[] } };
    expect(data.checks).toContainEqual(expect.objectContaining({ name: 'process keeper', ok: false }));
    kit.goOn();
    await expect.poll(async () => (await fetch(`${kit.daemon.base}/ready`)).status).toBe(200);
    expect(await text('/metrics')).toMatch(/^keeper_up 1$/m);
  });
});

import { expect, test } from 'vitest';
import { has } from '../../scripts/testing/machine.ts';
import { analyse } from '../analyst-session.ts';
import { Services } from '../services.ts';

test.runIf(has('ipykernel'))(
  '[code.analyst] an analyst’s session runs through the gateway: table, figure, mistake, interrupted loop, restart',
  { timeout: 180_000 },
  async () => {
    const path = `/usr/bin:${process.env['PATH']}`;
    await using services = await Services.start({ SVC_API_KEY: 'the-key', PATH: path });
    const { figure, table } = await analyse({ url: services.url, key: 'the-key' });
    expect(figure.length).toBeGreaterThan(100);
    expect(table).toContain('Apr');
  },
);

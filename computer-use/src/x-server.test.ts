import { expect, test } from 'vitest';
import { has } from '../../scripts/testing/machine.ts';
import { XServer } from './x-server.fixture.ts';

test.skipIf(!has('X server'))(
  '[desktop.info] a server that ends at its start is an error with its messages',
  async () => {
    await expect(XServer.start('800x600', ['-no-such-option'])).rejects.toThrow(/ended with 1: .*no-such-option/s);
  },
);

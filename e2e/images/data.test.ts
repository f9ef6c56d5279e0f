import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DATA_IMAGE } from '../../scripts/images/build-images.ts';
import { ROOT } from '../../scripts/root.ts';
import { has } from '../../scripts/testing/machine.ts';
import { runOnce } from './run-once.ts';

const CHECK = await readFile(join(ROOT, 'images/data/check.py'), 'utf8');

test.runIf(has('data image'))(
  '[images.data] each library of the data layer computes, draws or writes, as the account and without a network',
  async () => {
    const options = ['--network', 'none', '--user', '1000', '--env', 'HOME=/home/sandbox'];
    const command = ['python', '-W', 'error', '-c', CHECK];
    expect(await runOnce({}, options, command, DATA_IMAGE.name)).toEqual({ code: 0, output: 'the data layer works\n' });
  },
);

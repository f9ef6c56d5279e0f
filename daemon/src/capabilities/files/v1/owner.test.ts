import { statSync } from 'node:fs';
import { join } from 'node:path';
import { TestApp } from '../../../app.fixture.ts';
import { lookUpIdentity } from '../../../core/account/identity.ts';
import { expect, test } from '../files.fixture.ts';

test.runIf(process.getuid?.() === 0)(
  'created files belong to the default user, with sudo to root (skipped unless the tests run as root)',
  async ({ dir }) => {
    await using daemon = await TestApp.start({ defaultUser: 'nobody' });
    await daemon.post('/v1/file/write', { file: join(dir, 'default'), content: '' });
    await daemon.post('/v1/file/write', { file: join(dir, 'sudo'), content: '', sudo: true });
    const uid = lookUpIdentity('nobody')?.uid;
    expect([statSync(join(dir, 'default')).uid, statSync(join(dir, 'sudo')).uid]).toEqual([uid, 0]);
  },
);

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../../app.fixture.ts';
import { PATIENCE_MS, testKernels } from '../cells.fixture.ts';

const sessionsOf = (answer: { json: () => { data: { sessions: { session_id: string }[] } } }): string[] =>
  answer
    .json()
    .data.sessions.map(({ session_id }) => session_id)
    .sort();

testKernels(
  '[code.session-gives-way] an idle session without a name gives way, a named one does not',
  async () => {
    await using daemon = await TestApp.start({ kernelMaxSessions: 2 });
    const create = async (body: object = {}) => daemon.post('/v2/code/sessions', { language: 'python', ...body });
    const ids = async () => sessionsOf(await daemon.inject('/v2/code/sessions'));
    const first = (await create()).json().data.session_id;
    const second = (await create()).json().data.session_id;
    await daemon.post('/v2/code/execute', { language: 'python', code: '1', session_id: first });
    expect((await create({ session_id: 'named' })).statusCode).toBe(200);
    expect(await ids()).toEqual([first, 'named'].sort());
    const refused = await create();
    expect([refused.statusCode, refused.json().data.holders.length]).toEqual([429, 2]);
    expect(second).not.toBe(first);
  },
  PATIENCE_MS,
);

testKernels(
  '[code.session-gives-way] the one that was used longest ago, not the oldest, and none that runs a cell',
  async () => {
    await using place = await tempDir();
    await using daemon = await TestApp.start({ kernelMaxSessions: 2 });
    const go = join(place.path, 'go');
    const waits = `import os, time\nwhile not os.path.exists(${JSON.stringify(go)}): time.sleep(0.02)`;
    const cell = { language: 'python', code: waits, stateful: true, async: true, timeout: 60 };
    const older = (await daemon.post('/v2/code/execute', cell)).json().data;
    const create = async () => (await daemon.post('/v2/code/sessions', { language: 'python' })).json().data.session_id;
    const ids = async () => sessionsOf(await daemon.inject('/v2/code/sessions'));
    const idle = await create();
    expect(await ids()).toEqual([older.session_id, idle].sort());
    // The older one runs a cell.
    const younger = await create();
    expect(await ids()).toEqual([older.session_id, younger].sort());
    await writeFile(go, '');
    await daemon.inject(`/v2/code/executions/${older.execution_id}?wait=true&offset=99`);
    const youngest = await create();
    expect(await ids()).toEqual([older.session_id, youngest].sort());
  },
  PATIENCE_MS,
);

import { expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import { BARE, create } from './pty.fixture.ts';

test('[pty.exec-answered] exec in a session that is closed meanwhile is answered, at any moment of the call', async () => {
  await using daemon = await TestApp.start();
  for (let turns = 0; turns < 24; turns += 1) {
    const id = `closed-${turns}`;
    await create(daemon, id, BARE);
    const call = daemon.post(`/v2/pty/sessions/${id}/exec`, { command: 'echo on; read line' });
    for (let turn = 0; turn < turns * 3; turn += 1) await daemon.inject('/health');
    expect((await daemon.inject({ method: 'DELETE', url: `/v2/pty/sessions/${id}` })).statusCode).toBe(200);
    const answer = await call;
    if (answer.statusCode === 200) expect(answer.json().data.status).toBe('terminated');
    else expect(answer.statusCode).toBeOneOf([404, 409]);
  }
});

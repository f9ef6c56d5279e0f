import { expect, test } from 'vitest';
import { OutputLog } from '../../../core/output/output-log.ts';
import { describeHosts } from '../../../core/process/process-host.fixture.ts';
import { OwnForks } from './own-forks.ts';

describeHosts((kit) => {
  test('a forker that lives on without its stdout: its forks are lost, and the daemon goes on', async () => {
    const forker = await kit.start('/bin/sh', ['-c', 'exec >&-; read line; read line'], { stdin: 'pipe' });
    const forks = new OwnForks(forker);
    const forked = forks.fork(new OutputLog(kit.directory, 'fork'), Buffer.from('request\n'), {
      ms: 60_000,
      onLate: () => undefined,
    });
    await expect(forked).rejects.toThrow('was not forked');
    await forks.close();
  });
});

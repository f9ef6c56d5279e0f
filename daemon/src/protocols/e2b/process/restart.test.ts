import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { DaemonProcess } from '../../../daemon-process.fixture.ts';
import { collect, rpcAt } from '../e2b-client.fixture.ts';

const LINES = 300;
/** It ends when the test lets it. */
const SCRIPT = `for i in $(seq 1 ${LINES}); do echo line-$i; sleep 0.02; done; until [ -e "$GO" ]; do sleep 0.05; done; exit 6`;

test.runIf(process.platform === 'linux')(
  '[e2b.connect] no byte is lost to a cut, nor to the death of the daemon',
  { timeout: 180_000 },
  async () => {
    await using place = await tempDir();
    const first = await DaemonProcess.start(place.path);
    const before = rpcAt(`${first.base}/compat/e2b`).process;
    const go = join(place.path, 'go');
    const program = { cmd: '/bin/bash', args: ['-c', SCRIPT], envs: { GO: go } };
    const stream = before.start({ process: program, tag: 'kept' })[Symbol.asyncIterator]();
    const { pid } = (await stream.next()).value.event.event.value;
    await stream.next();
    await stream.return?.();
    const tagged = { process: { selector: { case: 'tag', value: 'kept' } } };
    for await (const { event } of before.connect(tagged)) if (event.event.case === 'data') break;
    await first.stop('SIGKILL');
    await using second = await DaemonProcess.start(place.path);
    const after = rpcAt(`${second.base}/compat/e2b`).process;
    expect((await after.list({})).processes).toMatchObject([{ pid, tag: 'kept', config: { args: ['-c', SCRIPT] } }]);
    await writeFile(go, '');
    const all = await collect(after.connect(tagged));
    expect(all.stdout).toBe(Array.from({ length: LINES }, (_, index) => `line-${index + 1}\n`).join(''));
    expect(all.end).toMatchObject({ exitCode: 6, exited: true });
  },
);

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { describe, expect, test } from 'vitest';
import { watchProgram } from '../../core/process/keeper/keeper-program.ts';
import { hasInotify, inotify, Watching } from './watching.fixture.ts';

/** Whether the tests can set limits of inotify in a user namespace. */
const hasLimits = hasInotify && canLimit();
if (!hasLimits) process.stderr.write('not tested: limits of inotify, no user namespace to set them in\n');

/** The keeper in a user namespace of its own, which has limits of its own (namespaces(7)). */
function limited(watching: Watching, limit: 'max_inotify_watches' | 'max_inotify_instances', value: number): string {
  const script = watching.path(`keeper-${limit}`);
  const { path } = watchProgram(undefined);
  const inner = `echo ${value} > /proc/sys/user/${limit} && exec ${path} watch`;
  writeFileSync(script, `#!/bin/sh\nexec /usr/bin/unshare -Ur /bin/sh -c '${inner}'\n`);
  chmodSync(script, 0o755);
  return script;
}

/** Asks the system only: a defect of the product must not skip these tests. */
function canLimit(): boolean {
  const command = ['-Ur', '/bin/sh', '-c', 'echo 100 > /proc/sys/user/max_inotify_watches'];
  return spawnSync('/usr/bin/unshare', command).status === 0;
}

async function failureOf(made: Promise<unknown>): Promise<SandboxError> {
  const error = await made.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof SandboxError) return error;
  throw new Error(`not a SandboxError: ${error}`);
}

describe.runIf(hasLimits)('limits of the system', () => {
  test('[file-error.inotify-enospc] the limit of watches is not reported as a full disk, and lists the holders', async () => {
    await using place = new Watching();
    await using watching = new Watching(inotify(limited(place, 'max_inotify_watches', 12)));
    const small = await watching.watch();
    for (let count = 0; count < 20; count += 1) mkdirSync(place.path(`d/${count}`), { recursive: true });
    const failure = await failureOf(watching.watch({ path: place.path('d') }));
    expect(failure.kind).toBe('capacity');
    expect(failure.message).toContain('limit of inotify watches');
    expect(failure.details.hint).toContain('fs.inotify.max_user_watches');
    expect(failure.details.data).toMatchObject({ errnoName: 'ENOSPC', holders: [{ watcherId: small.id }] });
    writeFileSync(watching.path('still'), '');
    await watching.until(small, 'create still');
  });

  test('[watch.overflow] a directory that cannot be watched at the limit is reported as a loss', async () => {
    await using place = new Watching();
    await using watching = new Watching(inotify(limited(place, 'max_inotify_watches', 12)));
    const watcher = await watching.watch();
    for (let count = 0; count < 20; count += 1) mkdirSync(watching.path(`${count}`));
    await watching.until(watcher, 'watch_limit');
  });

  test('the limit of instances is named in the error', async () => {
    await using place = new Watching();
    await using watching = new Watching(inotify(limited(place, 'max_inotify_instances', 0)));
    const failure = await failureOf(watching.watch());
    expect(failure.kind).toBe('unavailable');
    expect(failure.message).toContain('inotify_init1');
    expect(failure.details.hint).toContain('fs.inotify.max_user_instances');
  });
});

test('[status.capacity-429] [watch.capacity] a watcher beyond the ceiling is refused with the holders of the others', async () => {
  await using watching = new Watching(undefined, 2);
  const first = await watching.watch();
  const shared = await watching.watch();
  expect(shared).toBe(first);
  await watching.watch({ recursive: false });
  const failure = await failureOf(watching.watch({ debounceMs: 60 }));
  expect(failure.kind).toBe('capacity');
  expect(failure.details.data).toMatchObject({
    holders: [{ watcherId: first.id, subscribers: 2 }, { subscribers: 1 }],
  });
  await watching.service.release(first.id);
  await failureOf(watching.watch({ debounceMs: 60 }));
  await watching.service.release(first.id);
  await watching.watch({ debounceMs: 60 });
});

import { describe, expect, test } from 'vitest';
import { endProcesses } from './end-processes.ts';
import { describeHosts, linux, sealed, targetOf, textOf } from './process-host.fixture.ts';
import type { HostedProcess, ProcessTarget } from './process-host.ts';

const LONG_MS = 3_600_000;

/** The target of a process, which says when the process was reaped. */
function trackedTarget(hosted: HostedProcess): () => ProcessTarget[] {
  let running = true;
  void hosted.ended.then(() => {
    running = false;
  });
  return () => [targetOf(hosted, running)];
}

describeHosts((kit) => {
  const { start } = kit;

  describe.runIf(linux)('ending processes', () => {
    test('ends by SIGTERM without waiting for the grace, and answers how many were signalled', async () => {
      const hosted = await start('bash', ['-c', 'sleep 1000 & echo ready; wait']);
      await hosted.output.stdout.advanced(0);
      expect(await endProcesses(kit.host, trackedTarget(hosted), { graceMs: LONG_MS })).toBe(2);
      expect(await hosted.ended).toMatchObject({ exitCode: null, signal: 'SIGTERM' });
    });

    test('what ignores SIGTERM is killed after the grace and not before', async () => {
      const hosted = await start('bash', ['-c', 'trap "" TERM; echo ready; while :; do sleep 1000; done']);
      await hosted.output.stdout.advanced(0);
      const begun = performance.now();
      const ending = endProcesses(kit.host, trackedTarget(hosted), { graceMs: 300 });
      expect(await hosted.ended).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
      expect(performance.now() - begun).toBeGreaterThan(299);
      expect(await ending).toBeGreaterThan(0);
    });

    test('the first signal can be SIGHUP', async () => {
      const hosted = await start('bash', [
        '-c',
        'sleep 1000 & trap "echo hup; exit 3" HUP; trap "" TERM; echo ready; wait',
      ]);
      await hosted.output.stdout.advanced(0);
      const terms = { graceMs: LONG_MS, firstSignal: 'SIGHUP' } as const;
      expect(await endProcesses(kit.host, trackedTarget(hosted), terms)).toBe(2);
      expect(await hosted.ended).toMatchObject({ exitCode: 3, signal: null });
      expect(await textOf(hosted.output.stdout)).toBe('ready\nhup\n');
    });

    test('what an ended process left behind is killed after the grace', async () => {
      const hosted = await start('bash', ['-c', '(trap "" TERM; echo ready; sleep 1000; sleep 1000) & wait']);
      await hosted.output.stdout.advanced(0);
      await endProcesses(kit.host, trackedTarget(hosted), { graceMs: 100 });
      expect(await hosted.ended).toMatchObject({ exitCode: null, signal: 'SIGTERM' });
      await sealed(hosted.output.stdout);
    });

    test('looks further apart than the grace do not delay SIGKILL', async () => {
      const hosted = await start('bash', ['-c', 'trap "" TERM; echo ready; while :; do sleep 1000; done']);
      await hosted.output.stdout.advanced(0);
      await endProcesses(kit.host, trackedTarget(hosted), { graceMs: 100, lookEveryMs: LONG_MS });
      expect(await hosted.ended).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
    });

    test('where no process is left it answers 0 at once', async () => {
      const hosted = await start('true');
      await hosted.ended;
      expect(await endProcesses(kit.host, () => [targetOf(hosted, false)], { graceMs: LONG_MS })).toBe(0);
    });

    test('SIGKILL is sent where a step before it fails', async () => {
      const hosted = await start('sleep', ['1000']);
      const steps: (() => ProcessTarget[])[] = [
        () => {
          throw new Error('no target yet');
        },
      ];
      const targets = (): ProcessTarget[] => steps.shift()?.() ?? [targetOf(hosted, true)];
      await expect(endProcesses(kit.host, targets, { graceMs: LONG_MS })).rejects.toThrow('no target yet');
      expect(await hosted.ended).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
    });
  });
});

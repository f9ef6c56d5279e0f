import { expect, test } from 'vitest';
import { DESKTOP_IMAGE } from '../../scripts/images/build-images.ts';
import { NO_KERNELS, startSandbox, WITH_STARTS } from './sandbox.ts';

const FORGED = '{"level":"error","time":"2026-01-01T00:00:00.000Z","name":"daemon","msg":"forged by the account"}';
const LINES = 200_000;
const BUS = 'dbus-send --session --dest=org.freedesktop.DBus --type=method_call';
/** The session bus starts a program of the account, which inherits the output of the bus. */
const ATTACK = `mkdir -p ~/.local/share/dbus-1/services
printf '[D-BUS Service]\\nName=org.evil\\nExec=/bin/sh %s/evil\\n' ~ >~/.local/share/dbus-1/services/evil.service
cat >~/evil <<'END'
printf '\\033[2Jescaped\\n'
yes '${FORGED}' | head -n ${LINES}
echo flooded >~/flooded
END
${BUS} --print-reply / org.freedesktop.DBus.ReloadConfig
${BUS} / org.freedesktop.DBus.StartServiceByName string:org.evil uint32:0`;

test('[images.log-rate] a flood of forged lines is cut, has the name of its program and delays no restart', async () => {
  await using sandbox = await startSandbox({ image: DESKTOP_IMAGE, env: { ...NO_KERNELS, ...WITH_STARTS } });
  const begun = performance.now();
  const { exit_code, stderr } = await sandbox.run(ATTACK);
  expect([exit_code, stderr]).toEqual([0, '']);
  await sandbox.said('forged by the account');
  await sandbox.shell('supervisorctl signal KILL gateway');
  await expect.poll(() => sandbox.fetch('/ready').then(({ status }) => status, String)).toBe(200);
  await expect
    .poll(() => sandbox.shell('cat /home/sandbox/flooded 2>&1 || true'), { timeout: 120_000 })
    .toBe('flooded');
  // Every line is in the log or counted; one that a cut parts may be both. A machine that is slow writes so little that
  // none is left out.
  const missing = (): number => {
    const cuts = [...sandbox.log.matchAll(/^session-bus: (\d+) lines left out, more than 1 MB in a second$/gm)];
    const logged = sandbox.log.split('\n').filter((line) => line.includes('forged by the account')).length;
    const found = cuts.reduce((sum, [, lines]) => sum + Number(lines), logged);
    return Math.max(0, Math.abs(LINES - found) - cuts.length);
  };
  await expect.poll(missing, { timeout: 60_000 }).toBe(0);
  const seconds = (performance.now() - begun) / 1000;
  expect(
    sandbox.log.split('\n').filter((line) => line.includes('forged') && !line.startsWith('session-bus: ')),
  ).toEqual([]);
  expect(() =>
    sandbox.rawLog
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).not.toThrow();
  // And the parts of a second before and after.
  expect(sandbox.rawLog.length).toBeLessThan((seconds + 2.5) * 1_000_000);
  expect(sandbox.rawLog).toContain('"name":"session-bus","msg":"\\u001b[2Jescaped"}\n');
});

test('[images.log-lines] output of a program of one’s own has its name too, and the services keep their format', async () => {
  const mine = '[program:mine]\ncommand=/opt/svc/start/as-account printf "%%s\\n" "sandbox: forged"\n';
  const log =
    'autorestart=false\nstartsecs=0\nredirect_stderr=true\nstdout_logfile=/dev/fd/1\nstdout_logfile_maxbytes=0\n';
  await using sandbox = await startSandbox({
    env: { ...NO_KERNELS, BROWSER_START_MODE: 'manual' },
    with: (container) =>
      container.withCopyContentToContainer([{ content: mine + log, target: '/opt/svc/supervisord/mine.conf' }]),
  });
  await sandbox.said(/^mine: sandbox: forged$/m);
  expect(sandbox.rawLog).toMatch(/^\{"level":"info","time":"[^"]+","name":"daemon"/m);
});

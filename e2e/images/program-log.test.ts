import { expect, test } from 'vitest';
import { DESKTOP_IMAGE } from '../../scripts/images/build-images.ts';
import { NO_KERNELS, startSandbox, WITH_STARTS } from './sandbox.ts';

const FORGED = '{"level":"error","time":"2026-01-01T00:00:00.000Z","name":"daemon","msg":"forged by the account"}';
const BUS = 'dbus-send --session --dest=org.freedesktop.DBus --type=method_call';
/** The session bus starts a program of the account, which inherits the output of the bus. */
const ATTACK = `mkdir -p ~/.local/share/dbus-1/services
printf '[D-BUS Service]\\nName=org.evil\\nExec=/bin/sh %s/evil\\n' ~ >~/.local/share/dbus-1/services/evil.service
cat >~/evil <<'END'
printf '\\033[2Jescaped\\n'
timeout 5 yes '${FORGED}'
echo flooded >~/flooded
END
${BUS} --print-reply / org.freedesktop.DBus.ReloadConfig
${BUS} / org.freedesktop.DBus.StartServiceByName string:org.evil uint32:0`;

test('[images.log-rate] a flood of forged lines is cut, has the name of its program and delays no restart', async () => {
  await using sandbox = await startSandbox({ image: DESKTOP_IMAGE, env: { ...NO_KERNELS, ...WITH_STARTS } });
  const { exit_code, stderr } = await sandbox.run(ATTACK);
  expect([exit_code, stderr]).toEqual([0, '']);
  await sandbox.said('forged by the account');
  await sandbox.shell('supervisorctl signal KILL gateway');
  await expect.poll(() => sandbox.fetch('/ready').then(({ status }) => status, String)).toBe(200);
  await sandbox.said(/^session-bus: \d+ lines left out, more than 1 MB in a second$/m);
  await expect.poll(() => sandbox.shell('cat /home/sandbox/flooded 2>&1 || true')).toBe('flooded');
  expect(
    sandbox.log.split('\n').filter((line) => line.includes('forged') && !line.startsWith('session-bus: ')),
  ).toEqual([]);
  expect(() =>
    sandbox.rawLog
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).not.toThrow();
  // Five seconds of it, and the parts of a second before and after.
  expect(sandbox.rawLog.length).toBeLessThan(7_500_000);
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

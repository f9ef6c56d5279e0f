import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DAEMON_IMAGE, DESKTOP_IMAGE } from '../../scripts/images/build-images.ts';
import { ROOT } from '../../scripts/root.ts';
import { type Sandbox, startSandbox } from './sandbox.ts';
import { TRACED_CALLS, type TracedPath, tracedPaths } from './traced-calls.ts';

const ACCOUNT = 1000;
/** Of root's, which nothing else uses. */
const DIRECTORY = '/root';
const TRACE = `${DIRECTORY}/trace`;

/** What the account could write or lead elsewhere, as `docs/security.md` names it, and the paths that are meant. */
const EXPLAINED: readonly (readonly [named: string, paths: RegExp])[] = [
  ['`/tmp/tmp.*` with a FIFO', /^\/tmp\/tmp\.\w{10}(?:\/output)?$/],
  ['`/tmp/*`, opened and removed', /^\/tmp\/[a-z0-9_]{8}$/],
  ['`/tmp/.X11-unix`', /^\/tmp\/\.X11-unix$/],
  [
    '`/tmp/.X99-lock`, `/tmp/.X11-unix/X99`, `/run/svc/user/vnc.sock`',
    /^(?:\/tmp\/\.X99-lock|\/tmp\/\.X11-unix\/X99|\/run\/svc\/user\/vnc\.sock)$/,
  ],
  ['`/tmp`', /^\/tmp$/],
  ['`/tmp/svc-exec-*`, `/tmp/svc-code-*`, `/tmp/svc-cwd-*`', /^\/tmp\/svc-(?:exec|code|cwd)-[0-9a-f]{8}$/],
  ['`/dev/shm`', /^\/dev\/shm$/],
  ['`/home/sandbox`', /^\/home\/sandbox$/],
  ['`/run/svc/start-browser`', /^\/run\/svc\/start-browser$/],
  ['`/run/svc/user`', /^\/run\/svc\/user$/],
  ['`/run/svc/session`, `/run/svc/session/bus`', /^\/run\/svc\/session(?:\/bus)?$/],
  ['sockets in `/run/svc/user`', /^\/run\/svc\/user\/[a-z-]+\.sock$/],
];
/** Of a hook, so that the test is seen to find what it looks for. */
const PLANTED = '/home/sandbox/of-root';

async function traced(sandbox: Sandbox): Promise<TracedPath[]> {
  const trace = await sandbox.shell(`cat ${TRACE}`);
  // The last line may not be whole.
  return tracedPaths(trace.slice(0, trace.lastIndexOf('\n')));
}

/** Which of the paths the account could write or rename at a component, and why. */
async function changeable(sandbox: Sandbox, paths: readonly string[]): Promise<Record<string, string>> {
  const content = await readFile(join(import.meta.dirname, 'changeable-paths.py'), 'utf8');
  await sandbox.container.copyContentToContainer([
    { content, target: `${DIRECTORY}/changeable-paths.py` },
    { content: paths.join('\n'), target: `${DIRECTORY}/paths` },
  ]);
  return JSON.parse(await sandbox.shell(`python3 -I ${DIRECTORY}/changeable-paths.py <${DIRECTORY}/paths`));
}

test.each([DAEMON_IMAGE, DESKTOP_IMAGE])(
  '[images.start-files] from the start of %s to readiness root and the gateway use nothing that the account could change, but for what docs/security.md explains',
  async (image) => {
    const strace = ['/usr/bin/strace', '-f', '-y', '--pidns-translation', '--seccomp-bpf', '-s', '4096', '-o', TRACE];
    const program = [...strace, '-e', `trace=${TRACED_CALLS.join(',')}`, '/opt/svc/hooks/entrypoint'];
    await using sandbox = await startSandbox({
      image,
      env: { SVC_API_KEY: 'key-of-the-test', BROWSER_START_MODE: 'auto', RUN_HOOK_INIT: `: >${PLANTED}` },
      with: (container) =>
        container
          .withEntrypoint(program)
          .withAddedCapabilities('SYS_PTRACE')
          .withSecurityOpt('seccomp=unconfined')
          .withStartupTimeout(300_000),
    });
    const paths = (await traced(sandbox)).filter(({ uid }) => uid !== ACCOUNT).map(({ path }) => path);
    // Of each program that is meant.
    for (const path of [
      '/opt/svc/hooks/boot',
      '/opt/svc/hooks/lib/key.sh',
      '/etc/supervisor/supervisord.conf',
      '/opt/svc/product/keeper',
      '/var/lib/svc/keeper-v4.sock',
      '/opt/svc/product/gateway.mjs',
      '/run/svc/api-key',
    ])
      expect(paths).toContain(path);
    const found = await changeable(sandbox, [...new Set(paths)]);
    expect(found).toHaveProperty([PLANTED]);
    const { [PLANTED]: _planted, ...others } = found;
    const unexplained = Object.entries(others).filter(([path]) => !EXPLAINED.some(([, meant]) => meant.test(path)));
    expect(unexplained).toEqual([]);
    const document = await readFile(join(ROOT, 'docs/security.md'), 'utf8');
    for (const [named] of EXPLAINED) expect(document).toContain(`| ${named} |`);
  },
);

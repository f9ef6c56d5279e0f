import type { MachineProperty } from './machine.ts';

/** Tests that are skipped if the machine lacks a property. */
export interface ExpectedSkip {
  readonly lacks: MachineProperty;
  readonly because: string;
  /** Prefixes of `file > group > title`; `*` matches any text. */
  readonly tests: readonly string[];
}

const CORE = 'daemon/src/core';
/** Includes its subfolders. */
const PROCESS = 'daemon/src/core/process/*';
const CAPABILITIES = 'daemon/src/capabilities';
const PTY = `${CAPABILITIES}/pty`;
const CODE = `${CAPABILITIES}/code`;
const IN_KERNELS =
  'restart prewarm packages refused-install stream-order notebook exit-handlers input zygote tools'.split(' ');

/** All permitted skips. An entry applies only if the machine lacks the property. */
export const EXPECTED_SKIPS: readonly ExpectedSkip[] = [
  {
    lacks: 'registries',
    because: 'it installs packages from them',
    tests: [
      'e2e/images/agents-day.test.ts > [images.agents-day] an agent’s day runs as the account with a network',
      ...['e2e/images/fuzz.test.ts > [openapi.fuzz] ', 'e2e/clients/e2b/domain.test.ts > [e2b.domain] '],
      ...['e2e/images/day.test.ts > ', 'e2e/python/days/', 'e2e/scenarios/e2b.test.ts > '],
    ],
  },
  {
    lacks: 'data image',
    because: 'npm test does not build it: npm run images data',
    tests: ['e2e/images/data.test.ts > [images.data] '],
  },
  { lacks: 'X server', because: 'they drive a display', tests: ['computer-use/src/'] },
  {
    lacks: 'GTK',
    because: 'they read what a window of GTK tells by AT-SPI',
    tests: ['computer-use/src/accessibility/'],
  },
  { lacks: 'ffmpeg', because: 'it records the display', tests: ['computer-use/src/recording/'] },
  {
    lacks: 'linux',
    because: 'they look into /proc',
    tests: [
      'gateway/src/net/listening-ports.test.ts > a server is listed while it listens',
      'scripts/build/keeper.test.ts > the keeper is compiled where',
      'program/src/heartbeat/heartbeat.test.ts > where the main thread stands',
      'scripts/serve/stall.test.ts > a service that stands still',
      'scripts/testing/free-port.test.ts > no two processes get the same',
      `${CAPABILITIES}/files/read/read.test.ts > * > [fs.proc]`,
      `${CAPABILITIES}/files/credential-files.test.ts > beside /proc`,
      `${CAPABILITIES}/files/read/download.test.ts > clients that go away leave no file open`,
      `${CORE}/account/identity.test.ts > an account is found by name and by uid`,
      `${PROCESS}process-finder.test.ts > a target that has not left the group`,
      `${PROCESS}process-finder.test.ts > a young process `,
      `${PROCESS}portable-process.test.ts > output that ended in time`,
      `${PROCESS}process-host-bounds.test.ts > * > bounds`,
      `${PROCESS}process-host-system.test.ts > * > bounds`,
      `${PROCESS}process-host.test.ts > * > a normal life > its output can be opened again`,
      `${PROCESS}process-host-signals.test.ts > * > what outlives its process`,
      `${PROCESS}process-host-signals.test.ts > * > signals > a signal comes once`,
      `${PROCESS}process-host-signals.test.ts > * > signals > a program that forks all the time`,
      `${PROCESS}process-host-signals.test.ts > * > signals > a pid that was reaped`,
      `${PROCESS}process-host-signals.test.ts > * > signals > a session whose number`,
      `${PROCESS}process-host-signals.test.ts > * > signals > what is left without a mark`,
      `${PROCESS}process-host-signals.test.ts > * > signals > neither the daemon nor pid 1`,
    ],
  },
  {
    lacks: 'linux',
    because: 'the packages of this checkout are linked into the image',
    tests: ['e2e/images/suites.test.ts > [images.suites]'],
  },
  {
    lacks: 'root',
    because: 'they give files and processes to another account',
    tests: [
      'e2e/images/container-life.test.ts > [config.puid]',
      `${CAPABILITIES}/checkpoints/v2/routes.test.ts > checkpoints > [checkpoint.account]`,
      `${CAPABILITIES}/commands/v2/launch.test.ts > * > [cmd.user]`,
      `${CAPABILITIES}/commands/v2/launch.test.ts > * > [cmd.user-default]`,
      `${CAPABILITIES}/files/account-links.test.ts > links of an account`,
      `${CAPABILITIES}/files/account-races.test.ts > names that an account exchanges`,
      `${CAPABILITIES}/search/credential-files.test.ts > [secret.files] a directory that gives way`,
      `${CAPABILITIES}/files/tree-malformed.test.ts > * > [fs.tree-malformed] an owner that no account can have`,
      `${CAPABILITIES}/files/v1/owner.test.ts > created files belong to`,
      `${CAPABILITIES}/files/write/write.test.ts > the owner of created files`,
      `${PTY}/fork-bomb.test.ts > [pty.fork-bomb]`,
      `${CORE}/files/ownership.test.ts > as root`,
      `${PROCESS}keeper-faults.test.ts > * > under a limit of processes`,
      `${PROCESS}keeper-limits.test.ts > * > under a limit of processes`,
      `${PROCESS}keeper-stalls.test.ts > * > stalls its own starts alone`,
      `${PROCESS}keeper-stalls.test.ts > signals > a process that the keeper may not signal`,
      `${PROCESS}keeper-state.test.ts > * > a limit that the keeper may not set`,
      `${PROCESS}process-finder.test.ts > marks that root may not read`,
      `${PROCESS}process-finder.test.ts > a process that may not be signalled`,
      `${CORE}/files/temp-directory.test.ts > a directory of another account`,
      `${PROCESS}process-host-system.test.ts > * > as another account`,
      `${PROCESS}process-host-terminal.test.ts > * > it belongs to the account it is for`,
    ],
  },
  {
    lacks: 'mounts',
    because: 'they mount small disks',
    tests: [
      `${CAPABILITIES}/commands/full-disk.test.ts > [keep.full-disk]`,
      `${CAPABILITIES}/checkpoints/auto/full-disk.test.ts > [checkpoint.auto]`,
      ...[`${CAPABILITIES}/timeline/full-disk.test.ts > `, `${CAPABILITIES}/files/disks.test.ts > disks`],
      `${CAPABILITIES}/files/change/move.test.ts > move > [fs.move-exdev]`,
      `${CORE}/output/byte-log.test.ts > * > a full disk keeps what fits`,
      `${PROCESS}keeper-limits.test.ts > * > a full disk costs output alone`,
      `${PROCESS}process-host-system.test.ts > * > bounds > a full disk drops output`,
      'computer-use/src/recording/full-disk.test.ts > [record.full-disk]',
    ],
  },
  {
    lacks: 'compiler',
    because: 'the keeper is compiled for them',
    tests: [
      `${CAPABILITIES}/* > *, keeper host > `,
      'clients/typescript/src/checkpoints/',
      'e2e/terminals/* > keeper > ',
      `${CAPABILITIES}/checkpoints/*.test.ts > checkpoints`,
      `${CAPABILITIES}/checkpoints/engine/`,
      `${CAPABILITIES}/commands/v1/begun.test.ts > the keeper dies`,
      `${CAPABILITIES}/commands/v2/begun.test.ts > the keeper dies`,
      `${CAPABILITIES}/commands/outage.test.ts > a daemon that is away`,
      `${CAPABILITIES}/commands/running.test.ts > commands that outlive the daemon`,
      `${CAPABILITIES}/commands/running.test.ts > the death of the keeper`,
      `${CAPABILITIES}/commands/v2/timeouts.test.ts > a daemon that stood still`,
      `${CAPABILITIES}/commands/usage.test.ts > what a command used`,
      `${PTY}/restart.test.ts > with a keeper`,
      `${PTY}/v1/restart.test.ts > the console of a session`,
      `${CAPABILITIES}/watch/backends.test.ts > on the inotify backend`,
      `${CAPABILITIES}/watch/faithful.test.ts > [watch.faithful]`,
      `${CAPABILITIES}/watch/v1/event-fields.test.ts > * a rename has both paths whole`,
      `${CAPABILITIES}/watch/v2/event-fields.test.ts > * a rename has both paths whole`,
      `${CAPABILITIES}/watch/inotify.test.ts > by inotify`,
      `${CAPABILITIES}/watch/limits.test.ts > limits of the system`,
      'daemon/src/cli.test.ts > sandboxd > reap ends what a daemon',
      `${PROCESS}keeper-faults.test.ts > faults around the keeper`,
      `${PROCESS}keeper-life.test.ts > the life of a keeper`,
      `${PROCESS}keeper-limits.test.ts > limits met by keeper > `,
      `${PROCESS}keeper-upgrade.test.ts > a keeper of another protocol version`,
      `${PROCESS}process-host*.test.ts > keeper > `,
      `${PROCESS}processes.test.ts > keeper > `,
      `${PROCESS}processes.test.ts > keeper, after a restart > `,
      `${PROCESS}processes-restart.test.ts > with a keeper`,
      'e2e/scenarios/start.test.ts > [restart.running]',
      'e2e/scenarios/stall.test.ts > [stall.beside-work]',
    ],
  },
  {
    lacks: 'sanitizers',
    because: 'they run the keeper that was compiled with the sanitizers',
    tests: [
      `${PROCESS}keeper-limits.test.ts > limits met by keeper-sanitized > `,
      `${PROCESS}processes.test.ts > keeper-sanitized`,
      `${PROCESS}keeper-protocol.test.ts > what the keeper reads`,
      `${PROCESS}keeper-stdin.test.ts > stdin across a connection that is cut`,
      `${PROCESS}keeper-system.test.ts > the keeper on another system > keeper-sanitized `,
      `${PROCESS}keeper-terminal.test.ts > a terminal has its size`,
      `${PROCESS}keeper-watch.test.ts > a rename comes as two events`,
      `${PROCESS}keeper-watch.test.ts > every earlier event`,
      `${PROCESS}keeper-watch.test.ts > what cannot be watched says why`,
      `${PROCESS}tree-helper.test.ts > the helper of trees`,
      `${PROCESS}process-host*.test.ts > keeper-sanitized > `,
    ],
  },
  {
    lacks: 'cc',
    because: 'they compile what takes system calls away',
    tests: [`${PROCESS}keeper-system.test.ts > the keeper on another system`],
  },
  ...(['gcc', 'clang', 'musl-gcc'] as const).map(
    (compiler): ExpectedSkip => ({
      lacks: compiler,
      because: 'the keeper is built with it',
      tests: [`scripts/build/keeper.test.ts > ${compiler} builds the keeper`],
    }),
  ),
  {
    lacks: 'memory limits',
    because: 'a memory group needs root and a writable cgroup',
    tests: [
      `${CAPABILITIES}/commands/usage.test.ts > what a command used > [cmd.oom-killed]`,
      'daemon/src/memory-kills.test.ts > a process of a living shell that the memory limit killed > ',
    ],
  },
  {
    lacks: 'command groups',
    because: 'a keeper divides its control group, which needs root and a writable group of version 2 with a counter',
    tests: [`${PROCESS}keeper-groups.test.ts > a control group of each command`],
  },
  {
    lacks: 'mounts of its own',
    because: 'a client sees a file of its own at /etc/hosts',
    tests: ['e2e/clients/e2b/domain.test.ts > [e2b.domain]'],
  },
  {
    lacks: 'user namespaces',
    because: 'limits of inotify are set in one',
    tests: [`${CAPABILITIES}/watch/limits.test.ts > limits of the system`],
  },
  {
    lacks: 'IPv6 loopback',
    because: 'an application listens there',
    tests: [
      'gateway/src/apps/preview.test.ts > an application that listens on ::1 only',
      `${CAPABILITIES}/ports/ports.test.ts > [ports.bytes] a program that listens on ::1 `,
      'clients/typescript/src/cli/cli.test.ts > [cli.forward] forward reaches a program on ::1',
    ],
  },
  {
    lacks: 'ripgrep',
    because: 'searches with it are compared with the own engine',
    tests: [
      `${CAPABILITIES}/search/engines.test.ts > both engines give the same answer`,
      `${CAPABILITIES}/search/engines.test.ts > the ripgrep engine > `,
      `${CAPABILITIES}/search/long-searches.test.ts > the ripgrep engine > `,
      `${CAPABILITIES}/search/credential-files.test.ts > the ripgrep engine > `,
      `${CAPABILITIES}/search/credential-files.test.ts > [secret.files] ripgrep opens files itself`,
      `${CAPABILITIES}/search/credential-files.test.ts > [secret.files] a directory that gives way`,
    ],
  },
  {
    lacks: 'promtool',
    because: 'it judges metrics, rules and queries',
    tests: ['scripts/monitoring/monitoring.test.ts > promtool'],
  },
  {
    lacks: 'tmux',
    because: 'it holds the sessions',
    tests: [
      `${PTY}/tmux/tmux.test.ts > * > [pty.tmux]`,
      `${PTY}/tmux/tmux.test.ts > * > [pty.tmux-survives]`,
      'e2e/terminals/* > tmux > ',
    ],
  },
  {
    lacks: 'zsh',
    because: 'it is the shell',
    tests: [`${PTY}/exec.test.ts > * zsh: `, 'e2e/terminals/* > * > zsh > '],
  },
  {
    lacks: 'vim',
    because: 'it is driven in a terminal',
    tests: [`${PTY}/programs.test.ts > * vim`, 'e2e/scenarios/recorded-session.test.ts > [pty.whole]'],
  },
  {
    lacks: 'less',
    because: 'it is driven in a terminal',
    tests: [`${PTY}/programs.test.ts > [pty.programs] less `],
  },
  {
    lacks: 'htop',
    because: 'it is driven in a terminal',
    tests: [`${PTY}/programs.test.ts > [pty.programs] htop `, 'e2e/scenarios/recorded-session.test.ts > [pty.whole]'],
  },
  {
    lacks: 'python3',
    because: 'it is driven in a terminal',
    tests: [`${PTY}/programs.test.ts > [pty.programs] a Python REPL`],
  },
  {
    lacks: 'chromium',
    because: 'they drive it',
    tests: [`${CAPABILITIES}/browser/* > with a browser`, 'clients/typescript/src/browser/'],
  },
  {
    lacks: 'python3',
    because: 'it makes a process look as if it were in the middle of execve',
    tests: [
      `${PROCESS}process-finder.test.ts > a young process that may be in the middle of execve`,
      `${PROCESS}process-host-signals.test.ts > * > signals > a signal comes once`,
      `${PTY}/exec/ending.test.ts > * > [pty.end-rest] SIGKILL does not wait`,
    ],
  },
  {
    lacks: 'ipykernel',
    because: 'cells run in its kernels',
    tests: [
      `${CODE}/v2/`,
      `${CODE}/v1/`,
      ...IN_KERNELS.map((name) => `${CODE}/${name}.test.ts > `),
      'e2e/scenarios/analyst.test.ts > ',
    ],
  },
  { lacks: 'pyenv', because: 'its Pythons are copied', tests: ['e2e/python/days/days.test.ts > in the layout of '] },
  {
    lacks: 'PEP 668',
    because: 'the pip of the system refuses there alone',
    tests: ['e2e/python/days/days.test.ts > in npm start '],
  },
  {
    lacks: 'jupyter-server',
    because: 'cells run in its kernels; the image has one',
    tests: [`${CODE}/v1/outside.test.ts > the Jupyter server `],
  },
  {
    lacks: 'script',
    because: 'it records what a terminal shows',
    tests: ['e2e/scenarios/recorded-session.test.ts > [pty.whole]'],
  },
];

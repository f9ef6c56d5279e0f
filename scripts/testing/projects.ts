/** All tests that run on the machine itself; the other projects below take some of them. */
export const UNIT_TESTS = [
  '{program,api,daemon,gateway,browser-mcp,computer-use,clients,images,scripts,e2e/bench}/**/*.test.ts',
  'e2e/requirements.test.ts',
] as const;

/** Tests of the running product: each folder is a project. */
export const E2E_TESTS = 'e2e/*/**/*.test.ts';

const DAEMON = 'daemon/src';
const CAPABILITIES = `${DAEMON}/capabilities`;

/**
 * Files with tests that change what the machine has once: accounts, mounts, the limits of an account, of memory and of
 * inotify. They run one file after another.
 */
export const SYSTEM_TESTS = [
  `${CAPABILITIES}/checkpoints/auto/full-disk.test.ts`,
  `${CAPABILITIES}/commands/full-disk.test.ts`,
  `${CAPABILITIES}/commands/store/full-journal.test.ts`,
  `${CAPABILITIES}/commands/usage.test.ts`,
  `${CAPABILITIES}/files/change/move.test.ts`,
  `${CAPABILITIES}/files/disks.test.ts`,
  `${CAPABILITIES}/pty/fork-bomb.test.ts`,
  `${CAPABILITIES}/pty/full-disk.test.ts`,
  `${CAPABILITIES}/timeline/full-disk.test.ts`,
  `${CAPABILITIES}/watch/limits.test.ts`,
  `${DAEMON}/capabilities/code/execution/journal-file.test.ts`,
  `${DAEMON}/core/files/helper-places.test.ts`,
  `${DAEMON}/core/memory/memory-guard.test.ts`,
  `${DAEMON}/core/output/byte-log.test.ts`,
  `${DAEMON}/core/process/keeper/keeper-adoption-system.test.ts`,
  `${DAEMON}/core/process/keeper/keeper-faults.test.ts`,
  `${DAEMON}/core/process/keeper/keeper-limits.test.ts`,
  `${DAEMON}/core/process/keeper/keeper-privileges.test.ts`,
  `${DAEMON}/core/process/keeper/keeper-stalls.test.ts`,
  `${DAEMON}/core/process/process-host-system.test.ts`,
  `${DAEMON}/full-temporary.test.ts`,
  `${DAEMON}/memory-kills.test.ts`,
  'computer-use/src/recording/full-disk.test.ts',
] as const;

/** Files with tests that wait for 10 to 35 seconds of the clock. They run all at once. */
export const CLOCK_TESTS = [
  `${DAEMON}/core/clock/wall-clock-jump.test.ts`,
  `${CAPABILITIES}/browser/stopped.test.ts`,
  `${CAPABILITIES}/code/probe-again.test.ts`,
  `${CAPABILITIES}/code/v2/durations.test.ts`,
  `${CAPABILITIES}/commands/v1/durations.test.ts`,
  `${CAPABILITIES}/commands/v2/durations.test.ts`,
  `${CAPABILITIES}/pty/v2/viewer-control.test.ts`,
  `${DAEMON}/core/process/keeper/keeper-silent.test.ts`,
  `${DAEMON}/http/streams/websocket.test.ts`,
  'gateway/src/apps/silent-browser.test.ts',
] as const;

/**
 * Files that run in the image too, as root with the account as default user: what depends on that account, on the
 * capabilities and the seccomp profile of a container, or on programs that the image ships.
 */
export const IMAGE_TESTS = [
  `${CAPABILITIES}/commands/usage.test.ts`,
  `${CAPABILITIES}/commands/v2/control.test.ts`,
  `${CAPABILITIES}/commands/v2/environment.test.ts`,
  `${CAPABILITIES}/commands/v2/launch.test.ts`,
  `${CAPABILITIES}/commands/v2/run.test.ts`,
  `${CAPABILITIES}/files/tree.test.ts`,
  `${CAPABILITIES}/files/upload/upload.test.ts`,
  `${CAPABILITIES}/files/v1/owner.test.ts`,
  `${CAPABILITIES}/files/write/write.test.ts`,
  `${CAPABILITIES}/pty/closing.test.ts`,
  `${CAPABILITIES}/pty/exec.test.ts`,
  `${CAPABILITIES}/pty/programs.test.ts`,
  `${CAPABILITIES}/pty/tmux/tmux.test.ts`,
  `${CAPABILITIES}/search/engines.test.ts`,
  `${CAPABILITIES}/search/long-searches.test.ts`,
  `${CAPABILITIES}/watch/backends.test.ts`,
  `${CAPABILITIES}/watch/inotify.test.ts`,
  `${DAEMON}/core/account/identity.test.ts`,
  `${DAEMON}/core/files/ownership.test.ts`,
  `${DAEMON}/core/process/find/process-finder.test.ts`,
  `${DAEMON}/core/process/process-host-system.test.ts`,
] as const;

/** Files that take 20 seconds and more. They begin first, so that none of them is left at the end with one worker. */
export const LONG_TESTS = [
  'e2e/images/fuzz.test.ts',
  'e2e/images/suites.test.ts',
  'e2e/images/faults.test.ts',
  'e2e/images/gateway.test.ts',
  'e2e/images/repository.test.ts',
  'e2e/images/container-end.test.ts',
  'e2e/images/stall.test.ts',
  'e2e/images/browser-life.test.ts',
  'e2e/images/readme.test.ts',
  'e2e/images/container-life.test.ts',
  'e2e/images/start-files.test.ts',
  'e2e/images/pool.test.ts',
  'e2e/pages/app-files.test.ts',
  'scripts/serve/stall.test.ts',
  'scripts/structure/without-v1.test.ts',
  `${CAPABILITIES}/browser/deaths.test.ts`,
  `${CAPABILITIES}/browser/faults.test.ts`,
  `${CAPABILITIES}/browser/navigate/large.test.ts`,
  `${CAPABILITIES}/browser/navigate/navigate.test.ts`,
  `${CAPABILITIES}/browser/snapshot/snapshot.test.ts`,
  `${CAPABILITIES}/code/held/restart.test.ts`,
  `${CAPABILITIES}/code/node/faults.test.ts`,
  `${CAPABILITIES}/code/restart.test.ts`,
  `${CAPABILITIES}/code/v2/faults.test.ts`,
  `${CAPABILITIES}/code/zygote.test.ts`,
  `${CAPABILITIES}/commands/kill-table.test.ts`,
  `${CAPABILITIES}/commands/outage.test.ts`,
  `${CAPABILITIES}/commands/running.test.ts`,
  `${CAPABILITIES}/commands/restart.test.ts`,
  `${CAPABILITIES}/commands/v2/timeouts.test.ts`,
  `${CAPABILITIES}/commands/v2/control.test.ts`,
  `${CAPABILITIES}/files/v1/documents.test.ts`,
  `${CAPABILITIES}/pty/capacity.test.ts`,
  `${CAPABILITIES}/pty/exec.test.ts`,
  `${CAPABILITIES}/pty/silent-keeper.test.ts`,
  `${CAPABILITIES}/pty/v2/sessions.test.ts`,
  `${DAEMON}/cli.test.ts`,
  `${DAEMON}/core/process/keeper/keeper-fuzz.test.ts`,
  `${DAEMON}/core/process/process-host-bounds.test.ts`,
  `${DAEMON}/core/process/process-host-signals.test.ts`,
  `${DAEMON}/http/openapi/agreement.test.ts`,
  `${DAEMON}/mcp/upstream/upstreams.test.ts`,
  'computer-use/src/recording/recording.test.ts',
] as const;

/** Files that read the wall clock, and why a clock that is set harms nothing there. */
interface WallClockUse {
  readonly because: string;
  /** Paths, separated by white space. */
  readonly files: string;
}

/** Ages, retention and expiry go by `core/clock/age-clock.ts`, deadlines by timers and `performance.now`. */
export const WALL_CLOCK_USES: readonly WallClockUse[] = [
  {
    because: 'it relates both clocks',
    files: 'daemon/src/core/clock/age-clock.ts',
  },
  {
    because: 'a time that people and clients are shown: when something began, was used or ended',
    files: `
      computer-use/src/recording/save-path.ts
      daemon/src/capabilities/browser/downloads/downloads.ts
      daemon/src/capabilities/checkpoints/engine/new-record.ts
      daemon/src/capabilities/checkpoints/import/import-archive.ts
      daemon/src/capabilities/code/execution/execution.ts
      daemon/src/capabilities/code/outside/outside-process.ts
      daemon/src/capabilities/code/runtime/own-forks.ts
      daemon/src/capabilities/commands/run/command-starter.ts
      daemon/src/capabilities/commands/run/command.ts
      daemon/src/capabilities/commands/store/sessions.ts
      daemon/src/capabilities/pty/viewer/viewer.ts
      daemon/src/capabilities/system/usage/usage-history.ts
      daemon/src/capabilities/watch/change.ts
      daemon/src/capabilities/watch/watch-service.ts
      daemon/src/capabilities/watch/watcher.ts
      daemon/src/core/access/late-binding.ts
      daemon/src/core/process/keeper/held/keeper-process.ts
      daemon/src/core/process/keeper/recovery/keeper-elsewhere.ts
      daemon/src/core/process/portable/portable-process.ts
      daemon/src/core/process/portable/portable-terminal.ts
      daemon/src/http/files/memory-document.ts
      daemon/src/protocols/cloudflare/cloudflare-service.ts
      daemon/src/protocols/cloudflare/tunnel.ts
      daemon/src/protocols/e2b/control/control-plane.ts
      daemon/src/protocols/e2b/envd-routes.ts
      daemon/src/protocols/e2b/interpreter/send-events.ts
      daemon/src/protocols/swe-rex/upload/zip-as-tar.ts
      program/src/heartbeat/stall-thread.ts
    `,
  },
  {
    because: 'a field of a message that its protocol asks for; the receiver does not compare it',
    files: `
      daemon/src/capabilities/code/kernel/protocol/message.ts
      daemon/src/capabilities/code/outside/outside-message.ts
    `,
  },
  {
    because: 'compared with the time of a file, which is of the wall clock; the age clock bounds the age of the part',
    files: 'daemon/src/capabilities/files/parts/part-journal.ts',
  },
  {
    because: 'compared with the times of a signed URL, statement or key, which its maker gave by the wall clock',
    files: `
      daemon/src/core/access/access-keys.ts
      daemon/src/core/access/claim/claim-credential.ts
      daemon/src/core/access/claim/claim-statement.ts
      daemon/src/protocols/e2b/access/credentials.ts
    `,
  },
  {
    because: 'compared with the time of a link a tenth of a second ago; a clock that was set back is the careful case',
    files: 'daemon/src/core/files/place/read-link.ts',
  },
  {
    because: 'compared with an end of the same seconds, which the process host reports by the wall clock',
    files: 'daemon/src/capabilities/commands/run/track-process.ts',
  },
  {
    because: 'the form in which supervisord wants a pause; `wait_and_transition` holds it by the monotonic clock',
    files: 'supervisord/svc_failures.py',
  },
  {
    because: 'the time of a line of the log',
    files: 'supervisord/svc_record.py',
  },
];

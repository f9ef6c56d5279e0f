/** Files with synchronous calls that a request can reach, and what bounds those of one request. */
interface SynchronousFiles {
  readonly bound: string;
  /** Paths, separated by white space. */
  readonly files: string;
}

export const SYNCHRONOUS: readonly SynchronousFiles[] = [
  {
    bound: 'once, when the service starts, takes over, is claimed or ends, or its options are read',
    files: `
      daemon/src/cli.ts
      daemon/src/core/access/access-keys.ts
      daemon/src/core/access/claim/claim-credential.ts
      daemon/src/core/access/credential.ts
      daemon/src/core/access/claim/claim-record.ts
      daemon/src/core/access/revocations.ts
      daemon/src/core/access/seen-secrets.ts
      daemon/src/core/clock/age-clock.ts
      daemon/src/core/process/keeper/keeper-launch.ts
      daemon/src/core/process/keeper/keeper-program.ts
      daemon/src/core/process/keeper/recovery/ended-files.ts
      daemon/src/core/process/keeper/recovery/keeper-elsewhere.ts
      daemon/src/core/runtime-dir.ts
      daemon/src/core/tool-path.ts
      daemon/src/core/unexpected-ends.ts
      daemon/src/explorer/explorer-assets.ts
      daemon/src/http/access/api-key.ts
      gateway/src/apps/page-assets.ts
    `,
  },
  {
    bound:
      'text of a program that runs in a process of the account, or a worker thread: the event loop does not wait for it',
    files: `
      daemon/src/capabilities/checkpoints/diff/change-texts.ts
      daemon/src/capabilities/checkpoints/diff/changes-file.ts
      daemon/src/capabilities/checkpoints/engine/contents.ts
      daemon/src/capabilities/checkpoints/engine/kept-checkpoints.ts
      daemon/src/capabilities/checkpoints/engine/tree-session.ts
      daemon/src/capabilities/checkpoints/import/spool-file.ts
      daemon/src/capabilities/checkpoints/store/blob-store.ts
      daemon/src/capabilities/checkpoints/store/index-file.ts
      daemon/src/capabilities/checkpoints/store/pack-files.ts
      daemon/src/capabilities/code/node/node-host.ts
      daemon/src/capabilities/code/node/node-probe.ts
      daemon/src/capabilities/code/node/npm-roots.ts
      daemon/src/capabilities/files/documents/excel-text.ts
      daemon/src/capabilities/files/documents/unzip-xml.ts
      daemon/src/capabilities/sandbox/context/packages.ts
      daemon/src/capabilities/search/walk/text-of-file.ts
      daemon/src/capabilities/search/walk/walk.ts
      program/src/heartbeat/stall-thread.ts
    `,
  },
  {
    bound:
      'a record or a line of a journal, at most one for the start, change or end of a session, process, cell or transfer, never for a message',
    files: `
      daemon/src/capabilities/code/execution/execution-store.ts
      daemon/src/capabilities/code/session/session-file.ts
      daemon/src/capabilities/files/parts/part-journal.ts
      daemon/src/capabilities/pty/session/session-record.ts
      daemon/src/core/records/kept-json.ts
      daemon/src/core/records/line-journal.ts
      daemon/src/core/records/replace-file.ts
      daemon/src/core/records/reserve-files.ts
      daemon/src/core/records/runtime-space.ts
      daemon/src/protocols/cloudflare/state.ts
      daemon/src/protocols/e2b/state/sandboxes.ts
    `,
  },
  {
    bound:
      'events of 0.1 s, at most 1,000 or 256 KiB, as one line of a journal; a list of files when the daemon starts',
    files: `
      daemon/src/capabilities/timeline/store/segments.ts
    `,
  },
  {
    bound:
      'appends what a program wrote to the page cache, or reads a window of it: at most a read of 64 KiB at once, and the program waits for the reader',
    files: `
      daemon/src/core/output/byte-log-writer.ts
      daemon/src/core/output/byte-log.ts
      daemon/src/core/output/open-segment.ts
      daemon/src/core/output/order-log.ts
      daemon/src/core/output/output-log.ts
      daemon/src/core/output/segment-files.ts
    `,
  },
  {
    bound:
      'tables of the kernel in /proc and /sys, which are no disk; one scan for a request, bounded by the number of processes',
    files: `
      daemon/src/capabilities/pty/session/session-status.ts
      daemon/src/capabilities/pty/tmux/tmux-end.ts
      daemon/src/capabilities/system/processes/own-programs.ts
      daemon/src/capabilities/system/processes/read-processes.ts
      daemon/src/capabilities/watch/watch-limits.ts
      daemon/src/core/memory/check-memory.ts
      daemon/src/core/memory/family-memory.ts
      daemon/src/core/memory/group-memory.ts
      daemon/src/core/process/exec-limits.ts
      daemon/src/core/process/find/foreground.ts
      daemon/src/core/process/find/process-finder.ts
      daemon/src/core/process/find/reset-terminal.ts
      daemon/src/core/process/find/started-processes.ts
    `,
  },
  {
    bound: 'a constant number for the start or end of a program, a cell or a session',
    files: `
      daemon/src/capabilities/pty/tmux/tmux.ts
      daemon/src/core/process/portable/portable-host.ts
      daemon/src/core/files/helper-places.ts
      daemon/src/core/files/temp-directory.ts
      daemon/src/core/environment/env-directory.ts
      daemon/src/capabilities/code/kernel/kernel-connection.ts
      daemon/src/capabilities/code/run/prewarmed.ts
      daemon/src/capabilities/code/runtime/account-directories.ts
      daemon/src/capabilities/code/runtime/file-stamp.ts
      daemon/src/capabilities/commands/shell/directory-file.ts
      daemon/src/capabilities/pty/exec/exec-files.ts
      daemon/src/capabilities/pty/session-terms.ts
      daemon/src/capabilities/pty/session/shell-launcher.ts
      daemon/src/capabilities/sandbox/context/interpreters.ts
      daemon/src/core/account/identity.ts
      daemon/src/core/account/run-context.ts
      daemon/src/core/files/shell-paths.ts
      daemon/src/core/process/portable/pipes.ts
      daemon/src/core/process/portable/script-file.ts
      daemon/src/core/process/program.ts
    `,
  },
  {
    bound:
      'a constant number for each entry of a walk, which yields to the event loop between pieces and ends with its client',
    files: `
      daemon/src/protocols/e2b/files/entries.ts
      daemon/src/capabilities/files/change/copy-content.ts
      daemon/src/capabilities/files/change/copy.ts
      daemon/src/capabilities/files/change/delete.ts
      daemon/src/capabilities/files/change/move.ts
      daemon/src/capabilities/files/change/replace-directory.ts
      daemon/src/capabilities/files/parts/stage.ts
      daemon/src/capabilities/files/read/list.ts
      daemon/src/capabilities/files/tar/extract.ts
      daemon/src/capabilities/files/tar/import.ts
      daemon/src/capabilities/files/tar/merge.ts
      daemon/src/capabilities/files/tar/pack.ts
      daemon/src/capabilities/search/ripgrep/ripgrep-engine.ts
      daemon/src/capabilities/watch/inotify/inotify-watch.ts
      daemon/src/capabilities/watch/watch-event.ts
      daemon/src/core/files/directory-entries.ts
      daemon/src/core/files/file-path.ts
      daemon/src/core/files/first-names.ts
    `,
  },
  {
    bound:
      'a constant number for the file that the request names: faster on the event loop than through the thread pool, and safe between a check and its use',
    files: `
      daemon/src/protocols/e2b/accounts.ts
      daemon/src/protocols/e2b/files/watches.ts
      daemon/src/core/doctor.ts
      daemon/src/core/files/walk/leases.ts
      daemon/src/capabilities/files/change/times.ts
      daemon/src/capabilities/files/tar/export.ts
      daemon/src/capabilities/watch/root-name.ts
      daemon/src/capabilities/search/ripgrep/ripgrep.ts
      daemon/src/capabilities/search/search-service.ts
      daemon/src/capabilities/files/etag.ts
      daemon/src/capabilities/files/parts/part-file.ts
      daemon/src/capabilities/files/read/open-file.ts
      daemon/src/capabilities/files/read/send-bytes.ts
      daemon/src/capabilities/files/read/stat.ts
      daemon/src/capabilities/files/resources/workspace-files.ts
      daemon/src/capabilities/files/upload/resumable.ts
      daemon/src/capabilities/files/write/write.ts
      daemon/src/core/access/caller.ts
      daemon/src/core/access/credential-files.ts
      daemon/src/core/access/late-binding.ts
      daemon/src/core/files/discard.ts
      daemon/src/core/files/mounts.ts
      daemon/src/core/files/ownership.ts
      daemon/src/core/files/place/held-directory.ts
      daemon/src/core/files/place/make-directory.ts
      daemon/src/core/files/place/open-plain.ts
      daemon/src/core/files/place/place.ts
      daemon/src/core/files/place/read-link.ts
      daemon/src/core/files/place/resolve.ts
      daemon/src/core/files/small-file.ts
    `,
  },
];

import { type Requirement, section } from './requirement.ts';

export const WATCH: readonly Requirement[] = [
  ...section('docs/contract.md §1.3', {
    'file-error.inotify-enospc': 'ENOSPC from inotify is reported as a watch limit, not as a full disk',
  }),
  ...section('docs/contract.md §1.5', {
    'stream.sse': 'Server-Sent Events come at the pace of the reader, and end with it',
  }),
  ...section('docs/contract.md §3', {
    'watch.create': 'POST /v2/watch answers watcher_id, initial_cursor and reused',
    'watch.recursive': 'recursive=true watches subdirectories, also new ones; false does not',
    'watch.debounce': 'debounce gathers changes; those of one path and type become one',
    'watch.exclude': 'exclude names what is neither reported nor descended into',
    'watch.default-exclude': 'by default .git, node_modules and their like are excluded; exclude replaces that list',
    'watch.parts': 'no watcher reports the part of an upload',
    'watch.list': 'GET /v2/watch lists the watchers',
    'watch.include': 'with include_patterns only what fits one of them is reported',
    'watch.bounds': 'debounce is 50–5000 ms, limit 1–1000, a path absolute and there',
    'watch.poll': 'poll answers the events after cursor, at most limit, and waits up to timeout for one',
    'watch.sse': 'the stream has watch_started, file_change with the id <watcher_id>:<seq>, and overflow',
    'watch.sse-resume': 'Last-Event-ID resumes a stream after that event',
    'watch.release': 'DELETE releases one subscriber; the last one stops the watcher',
    'watch.reuse': 'the same configuration again reuses the watcher',
    'watch.event-fields':
      'an event has seq, type, path, relative_path, old_path, is_dir, timestamp, mtime, size, inode',
    'watch.event-types': 'types are create, write, remove, rename and chmod',
    'watch.rename': 'a rename is one event with old_path',
    'watch.overflow': 'lost events are reported, never silent',
    'watch.faithful': 'the events describe every change, or report that some are missing',
    'watch.capacity': 'the watcher over the ceiling of 128 is refused with 429 and the holders',
    'watch.kept': '10,000 events of a watcher are kept; a client behind them gets overflow',
    'watch-v1.since': 'poll takes cursor and the older since',
    'watch-v1.envelope': 'watch answers of 1.x use the envelope',
    'watch-v1.wait':
      'wait answers one event, at once if the file exists and create is requested, 503 if no event arrived',
  }),
  ...section('docs/watching.md', {
    'watch.root-again': 'a root that is removed and created again is watched again',
    'watch.path-b64': 'names that are not UTF-8 are exact in path_b64',
  }),
];

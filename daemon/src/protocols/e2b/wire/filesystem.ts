import {
  enumOf,
  message,
  messageOf,
  oneOf,
  optional,
  repeated,
  type ServiceType,
  scalar,
  serverStreaming,
  Timestamp,
  textMap,
  unary,
} from '../../../http/rpc/wire-types.ts';

export const FILE_TYPES = {
  FILE_TYPE_UNSPECIFIED: 0,
  FILE_TYPE_FILE: 1,
  FILE_TYPE_DIRECTORY: 2,
  FILE_TYPE_SYMLINK: 3,
} as const;

export const EVENT_TYPES = {
  EVENT_TYPE_UNSPECIFIED: 0,
  EVENT_TYPE_CREATE: 1,
  EVENT_TYPE_WRITE: 2,
  EVENT_TYPE_REMOVE: 3,
  EVENT_TYPE_RENAME: 4,
  EVENT_TYPE_CHMOD: 5,
} as const;

export const EntryInfo = message('EntryInfo', {
  name: scalar('string', 1),
  type: enumOf({ name: 'FileType', values: FILE_TYPES }, 2),
  path: scalar('string', 3),
  size: scalar('int64', 4),
  mode: scalar('uint32', 5),
  permissions: scalar('string', 6),
  owner: scalar('string', 7),
  group: scalar('string', 8),
  modifiedTime: messageOf(Timestamp, 9),
  symlinkTarget: optional(scalar('string', 10)),
  metadata: textMap(11),
});

export const FilesystemEvent = message('FilesystemEvent', {
  name: scalar('string', 1),
  type: enumOf({ name: 'EventType', values: EVENT_TYPES }, 2),
  entry: messageOf(EntryInfo, 3),
});

const WatchTerms = {
  path: scalar('string', 1),
  recursive: scalar('bool', 2),
  includeEntry: scalar('bool', 3),
  allowNetworkMounts: scalar('bool', 4),
};
export const WatchDirRequest = message('WatchDirRequest', WatchTerms);

const path = { path: scalar('string', 1) };
const entry = { entry: messageOf(EntryInfo, 1) };
const watcher = { watcherId: scalar('string', 1) };

/** filesystem.Filesystem: entries of the file system and their changes. */
export const FilesystemApi = {
  package: 'filesystem',
  name: 'Filesystem',
  methods: {
    Stat: unary(message('StatRequest', path), message('StatResponse', entry)),
    MakeDir: unary(message('MakeDirRequest', path), message('MakeDirResponse', entry)),
    Move: unary(
      message('MoveRequest', { source: scalar('string', 1), destination: scalar('string', 2) }),
      message('MoveResponse', entry),
    ),
    ListDir: unary(
      message('ListDirRequest', { ...path, depth: scalar('uint32', 2) }),
      message('ListDirResponse', { entries: repeated(messageOf(EntryInfo, 1)) }),
    ),
    Remove: unary(message('RemoveRequest', path), message('RemoveResponse', {})),
    WatchDir: serverStreaming(
      WatchDirRequest,
      message('WatchDirResponse', {
        event: oneOf({
          start: messageOf(message('WatchDirResponse.StartEvent', {}), 1),
          filesystem: messageOf(FilesystemEvent, 2),
          keepalive: messageOf(message('WatchDirResponse.KeepAlive', {}), 3),
        }),
      }),
    ),
    CreateWatcher: unary(message('CreateWatcherRequest', WatchTerms), message('CreateWatcherResponse', watcher)),
    GetWatcherEvents: unary(
      message('GetWatcherEventsRequest', watcher),
      message('GetWatcherEventsResponse', { events: repeated(messageOf(FilesystemEvent, 1)) }),
    ),
    RemoveWatcher: unary(message('RemoveWatcherRequest', watcher), message('RemoveWatcherResponse', {})),
  },
} satisfies ServiceType;

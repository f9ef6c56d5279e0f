import { homedir } from 'node:os';
import { JSON_BODY_LIMIT } from '@sandbox/api/http/body.ts';
import { describeOptions } from '@sandbox/program/options.ts';
import { expect, test } from 'vitest';
import { MESSAGE_MAX } from './capabilities/browser/cdp/cdp-connection.ts';
import { CALL_MS } from './capabilities/browser/cdp/cdp-session.ts';
import { SESSIONS_MAX } from './capabilities/browser/delegate/cli-sessions.ts';
import { REFS_KEPT } from './capabilities/browser/element/refs.ts';
import { INSERT_MAX, KEYS_MAX } from './capabilities/browser/input/keyboard.ts';
import { URL_MAX } from './capabilities/browser/navigate/navigate.ts';
import { DATA_URL_KEPT, URL_KEPT } from './capabilities/browser/network/logged-request.ts';
import { REQUESTS_KEPT } from './capabilities/browser/network/request-log.ts';
import { RESULT_MAX } from './capabilities/browser/page/evaluate.ts';
import { PICTURE_MS, SIDE_MAX } from './capabilities/browser/page/screenshot.ts';
import { FRAMES_MAX, SNAPSHOT_MS } from './capabilities/browser/snapshot/snapshot.ts';
import { KEPT_MS as EXECUTION_KEPT_MS } from './capabilities/code/execution/execution-store.ts';
import { TEXT_CHARACTERS } from './capabilities/code/execution/output-limits.ts';
import { INTERRUPT_GRACE_MS } from './capabilities/code/execution/run-cell.ts';
import { ONE_OFFS } from './capabilities/code/run/one-offs.ts';
import { ANSWER_BYTES } from './capabilities/commands/output/excerpt.ts';
import { KILL_GRACE_MS } from './capabilities/commands/run/command-end.ts';
import { IDEMPOTENCY_MS } from './capabilities/commands/store/idempotency.ts';
import { KEPT_MS } from './capabilities/files/parts/part-journal.ts';
import { LIST_MAX } from './capabilities/files/read/list.ts';
import { READ_BYTES_MAX } from './capabilities/files/read/read.ts';
import { ENTRIES_MAX } from './capabilities/files/tar/extract.ts';
import { ARCHIVE_BYTES_MAX } from './capabilities/files/tar/import.ts';
import { KILL_GRACE_MS as EXEC_KILL_GRACE_MS } from './capabilities/pty/exec/ending.ts';
import { NO_CHANGE_SECONDS } from './capabilities/pty/pty-service.ts';
import { CLOSE_GRACE_MS } from './capabilities/pty/session/session.ts';
import { PING_MS as TERMINAL_PING_MS } from './capabilities/pty/viewer/viewer.ts';
import { NAMES_MAX } from './capabilities/search/wire/fields.ts';
import { EVENTS_KEPT } from './capabilities/watch/watcher.ts';
import { DaemonOptions } from './config.ts';
import { BACKGROUND_MS } from './core/process/portable/portable-process.ts';
import { SURVEY_MS } from './core/survey/survey.ts';
import { COMMAND_BYTES } from './http/fields.ts';
import { HEARTBEAT_MS } from './http/streams/send-stream.ts';
import { MISSED, PING_MS } from './http/streams/websocket-port.ts';
import { schemaOfField } from './openapi-field.fixture.ts';

test('the default of every variable is the one that is documented', () => {
  const state = process.env['XDG_STATE_HOME'] ?? `${homedir()}/.local/state`;
  const defaults = describeOptions(DaemonOptions).map(({ env, fallback }) => [env, fallback]);
  expect(Object.fromEntries(defaults)).toEqual({
    SVC_HOST: '127.0.0.1',
    SVC_PORT: '8091',
    GATEWAY_HOST: '127.0.0.1',
    SVC_MCP_TOOLS: 'full',
    EXTRA_MCP_SERVERS: '{}',
    MCP_SERVER_BROWSER_PORT: '',
    SVC_BROWSER_MCP_TOOLS: '',
    DISABLE_MCP_BROWSER: 'false',
    SVC_SKILLS_PATH: '',
    SVC_API_KEY: '',
    SVC_API_KEY_FILE: '',
    SVC_ACCESS_KEYS_FILE: '',
    SVC_CLAIM_TOKEN_FILE: '',
    SVC_CLAIM_PUBLIC_KEY_FILE: '',
    SVC_POD_UID: '',
    SVC_CLAIM_AGAIN: 'false',
    KUBERNETES_SERVICE_HOST: '',
    SVC_ENV_DIR: '',
    SVC_COMPUTER_USE_URL: 'http://127.0.0.1:18100',
    SVC_DEFAULT_USER: '',
    SVC_RUNTIME_DIR: `${state}/sandboxd`,
    SVC_PROCESS_HOST: 'auto',
    SVC_KEEPER_PROGRAM: '',
    SVC_PROGRAM_STATES: '',
    SVC_ALLOWED_HOSTS: '',
    SVC_ALLOWED_ORIGINS: '',
    SVC_PUBLIC_PORTS: '',
    SVC_TRUSTED_PROXIES: 'loopback',
    SVC_STOP_GRACE_SECONDS: '2',
    SVC_MEMORY_GUARD: '0',
    SVC_STRICT: 'true',
    SVC_STALL_SECONDS: '10',
    OTEL_EXPORTER_OTLP_ENDPOINT: '',
    SVC_RECORD: 'off',
    SVC_RECORD_MAX_BYTES: '536870912',
    SVC_RECORD_REDACT: '',
    SVC_ACTIVITY_QUIET_SECONDS: '10',
    SVC_CHECKPOINTS: 'manual',
    SVC_CHECKPOINTS_MAX_BYTES: '10737418240',
    SVC_COMMAND_MAX_RUNNING: '256',
    SVC_COMMAND_MAX_SESSIONS: '256',
    SVC_COMMAND_MAX_RECORDS: '1000',
    SVC_COMMAND_RETENTION_SECONDS: '3600',
    SVC_COMMAND_OUTPUT_MAX_BYTES: '67108864',
    SVC_OUTPUT_TOTAL_MAX_BYTES: '2147483648',
    SVC_PTY_HISTORY_BYTES: '10485760',
    SVC_SHELL_BACKEND: 'native',
    SVC_SHELL_MAX_SESSIONS: '20',
    SVC_SHELL_SESSION_TIMEOUT: '3600',
    SVC_CODE_BACKEND: 'native',
    SVC_KERNEL_IDLE_SECONDS: '3600',
    SVC_KERNEL_MAX_SESSIONS: '',
    SVC_KERNEL_ZYGOTE: '',
    SVC_KERNEL_PREWARM: '0',
    SVC_KERNEL_PRELOAD: '',
    SVC_CODE_PREWARM: '0',
    SVC_JUPYTER_ENDPOINT: '',
    BROWSER_START_MODE: 'async',
    BROWSER_REMOTE_DEBUGGING_HOST: '127.0.0.1',
    BROWSER_REMOTE_DEBUGGING_PORT: '9222',
    SVC_BROWSER_STARTER: '',
    SVC_BROWSER_ON_DEMAND: 'false',
    SVC_BROWSER_HUNG_TAB_SECONDS: '0',
    SVC_AGENT_BROWSER_BIN: '',
    SVC_WATCH_MAX_WATCHERS: '128',
    SVC_SEARCH_TIMEOUT_SECONDS: '60',
    JWT_PUBLIC_KEY: '',
    SVC_VALIDATE_RESPONSES: 'false',
    SVC_IDLE_STOP_SECONDS: '0',
    SVC_CLOUDFLARE_ROOT: '',
    SVC_E2B_PORT: '',
    SVC_SWEREX_PORT: '',
    SVC_PYTHON_RUNTIME_PORT: '',
    SVC_SANDBOXD_GRPC_PORT: '',
    SVC_E2B_SIGNATURE_SECONDS: '86400',
    SVC_PROTOCOL_SHARED: 'false',
    SVC_PROTOCOL_SHUTDOWN: 'false',
    SVC_SANDBOX_ID: '',
    SVC_SANDBOXD: 'false',
    SVC_SANDBOXD_ROOT: '',
    SVC_ACCESS_LOG: 'errors',
    LOG_LEVEL: 'info',
  });
});

const EXCLUDED = ['.git', 'node_modules', '__pycache__', '.venv', '.DS_Store', '*.pyc', '*.pyo', '*.swp', '*.swo'];

test.each([
  ['v2', 'post /v2/tickets', 'ttl', { default: 30, minimum: 1, maximum: 3600 }],
  ['v2', 'post /v2/tickets', 'uses', { default: 1 }],
  ['v2', 'post /v2/commands', 'shell', { default: 'auto' }],
  ['v2', 'post /v2/commands', 'mode', { default: 'sync' }],
  ['v2', 'post /v2/commands', 'timeout', { default: 30, minimum: 0 }],
  ['v2', 'post /v2/commands', 'hard_timeout', { default: undefined, exclusiveMinimum: 0 }],
  ['v2', 'post /v2/commands', 'max_output_length', { default: 50_000, minimum: 0 }],
  ['v2', 'post /v2/commands', 'idempotency_key', { maxLength: 128 }],
  ['v2', 'get /v2/commands/{command_id}', 'offset', { default: 0, minimum: 0 }],
  ['v2', 'get /v2/commands/{command_id}', 'stderr_offset', { default: 0, minimum: 0 }],
  ['v2', 'get /v2/commands/{command_id}', 'limit', { default: undefined, minimum: 0 }],
  ['v2', 'get /v2/commands/{command_id}', 'wait_timeout', { default: 30, minimum: 0, maximum: 60 }],
  ['v2', 'get /v2/commands/{command_id}', 'encoding', { default: 'utf-8' }],
  ['v2', 'post /v2/commands/{command_id}/kill', 'signal', { default: 'SIGTERM' }],
  ['v2', 'post /v2/fs/grep', 'max_results', { default: 500 }],
  ['v2', 'post /v2/fs/grep', 'max_file_size', { default: '1M' }],
  ['v2', 'post /v2/fs/copy', 'overwrite', { default: false }],
  ['v2', 'post /v2/fs/move', 'overwrite', { default: false }],
  ['v2', 'get /v2/fs/list', 'limit', { maximum: 10_000 }],
  ['v2', 'get /v2/fs/search', 'limit', { maximum: 10_000 }],
  ['v2', 'post /v2/watch', 'recursive', { default: true }],
  ['v2', 'post /v2/watch', 'debounce', { default: 300, minimum: 50, maximum: 5000 }],
  ['v2', 'post /v2/watch', 'exclude', { default: expect.toSatisfy((given) => sameNames(given, EXCLUDED)) }],
  ['v2', 'get /v2/watch/{watcher_id}/poll', 'cursor', { default: 0 }],
  ['v2', 'get /v2/watch/{watcher_id}/poll', 'limit', { default: 100, minimum: 1, maximum: 1000 }],
  ['v2', 'get /v2/watch/{watcher_id}/poll', 'timeout', { default: 0, minimum: 0, maximum: 60 }],
  ['v2', 'get /v2/commands/{command_id}/attach', 'stdout', { default: 0, minimum: 0 }],
  ['v2', 'get /v2/commands/{command_id}/attach', 'stderr', { default: 0, minimum: 0 }],
  ['v2', 'post /v2/pty/sessions', 'cols', { default: 80 }],
  ['v2', 'post /v2/pty/sessions', 'rows', { default: 24 }],
  ['v2', 'post /v2/pty/sessions/{id}/exec', 'async', { default: false }],
  ['v2', 'post /v2/pty/sessions/{id}/exec', 'no_change_timeout', { default: undefined }],
  ['v2', 'post /v2/pty/sessions/{id}/input', 'press_enter', { default: false }],
  ['v2', 'post /v2/pty/sessions/{id}/signal', 'signal', { default: 'SIGINT' }],
  ['v2', 'get /v2/pty/sessions/{id}/ws', 'replay_bytes', { minimum: 262_144, maximum: 10_485_760 }],
  ['v2', 'post /v2/code/execute', 'timeout', { default: 30, exclusiveMinimum: 0, maximum: 900 }],
  ['v2', 'post /v2/code/execute', 'async', { default: false }],
  ['v2', 'get /v2/code/executions/{execution_id}', 'wait_timeout', { default: 30, minimum: 0, maximum: 60 }],
  ['v2', 'post /v2/browser/navigate', 'timeout', { default: 30, minimum: 0, maximum: 600 }],
  ['v2', 'post /v2/browser/navigate', 'wait_until', { default: 'load' }],
  ['v2', 'get /v2/browser/screenshot', 'format', { default: 'png' }],
  ['v2', 'get /v2/browser/screenshot', 'quality', { default: undefined, minimum: 0, maximum: 100 }],
  ['v2', 'get /v2/browser/screenshot', 'scale', { default: 1, minimum: 0.05, maximum: 4 }],
  ['v2', 'get /v2/browser/screenshot', 'target', { default: 'auto' }],
  ['v2', 'post /v2/browser/snapshot', 'interactive_only', { default: false }],
  ['v2', 'post /v2/browser/snapshot', 'max_length', { default: 50_000, minimum: 1000, maximum: 1_000_000 }],
  ['v2', 'post /v2/browser/click', 'timeout', { default: 10, minimum: 0, maximum: 600 }],
  ['v2', 'post /v2/browser/click', 'click_count', { default: 1, minimum: 1, maximum: 3 }],
  ['v2', 'post /v2/browser/fill', 'timeout', { default: 10, minimum: 0, maximum: 600 }],
  ['v2', 'post /v2/browser/upload', 'paths', { maxItems: 1000 }],
  ['v2', 'post /v2/browser/evaluate', 'await_promise', { default: true }],
  ['v2', 'post /v2/browser/evaluate', 'timeout', { default: 30, minimum: 0, maximum: 600 }],
  ['v2', 'post /v2/browser/wait', 'timeout', { default: 30, minimum: 0, maximum: 600 }],
  ['v2', 'post /v2/browser/cdp', 'timeout', { default: 30, minimum: 0, maximum: 600 }],
  ['v2', 'post /v2/browser/cookies', 'cookies', { maxItems: 5000 }],
  ['v2', 'get /v2/browser/network/requests', 'limit', { default: 100, minimum: 0, maximum: 5000 }],
  ['v2', 'get /v2/computer/screenshot', 'format', { default: 'png' }],
  ['v2', 'get /v2/computer/screenshot', 'quality', { default: undefined, minimum: 0, maximum: 100 }],
  ['v2', 'get /v2/computer/screenshot', 'scale', { default: 1, minimum: 0.05, maximum: 4 }],
  ['v2', 'post /v2/computer/actions/batch', 'actions', { minItems: 1, maxItems: 50 }],
  ['v2', 'post /v2/computer/actions/batch', 'include_screenshot', { default: false }],
  ['v2', 'get /v2/computer/accessibility', 'scope', { default: 'foreground' }],
  ['v2', 'get /v2/computer/accessibility', 'max_depth', { default: 32, minimum: 1, maximum: 64 }],
  ['v2', 'get /v2/computer/accessibility', 'max_nodes', { default: 5000, minimum: 1, maximum: 20_000 }],
  ['v2', 'get /v2/computer/accessibility', 'timeout_ms', { default: 5000, minimum: 100, maximum: 60_000 }],
  ['v2', 'get /v2/computer/accessibility/nodes', 'match', { default: 'substring' }],
  ['v2', 'get /v2/computer/accessibility/nodes', 'limit', { default: 50, minimum: 1, maximum: 1000 }],
  ['v2', 'post /v2/computer/record', 'fps', { default: 5, maximum: 30 }],
  ['v2', 'post /v2/computer/record', 'crf', { default: 28, minimum: 0, maximum: 51 }],
  ['v2', 'post /v2/computer/record', 'max_duration', { default: 600, maximum: 86_400 }],
  ['v2', 'post /v2/computer/resolution', 'width', { minimum: 320, maximum: 7680 }],
  ['v2', 'post /v2/computer/resolution', 'height', { minimum: 200, maximum: 4320 }],
  ['v2', 'get /v2/pty/ws', 'replay_bytes', { minimum: 262_144, maximum: 10_485_760 }],
] as const)('of %s, %s: %s', async (surface, route, field, expected) => {
  const schema = await schemaOfField(surface, route, field);
  // Bodies state a default as x-default.
  const stated: Readonly<Record<string, unknown>> = { default: schema['x-default'], ...schema };
  for (const [keyword, value] of Object.entries(expected)) expect([keyword, stated[keyword]]).toEqual([keyword, value]);
});

test('what no variable and no field sets is what is documented', () => {
  expect({
    // Milliseconds.
    survey: SURVEY_MS,
    heartbeat: HEARTBEAT_MS,
    ping: PING_MS,
    terminalPing: TERMINAL_PING_MS,
    background: BACKGROUND_MS,
    killAfterHardTimeoutOrClose: KILL_GRACE_MS,
    killAfterHardTimeoutOfTerminal: EXEC_KILL_GRACE_MS,
    killAfterHangUp: CLOSE_GRACE_MS,
    idempotencyKey: IDEMPOTENCY_MS,
    partOfUpload: KEPT_MS,
    killAfterInterrupt: INTERRUPT_GRACE_MS,
    execution: EXECUTION_KEPT_MS,
    browser: CALL_MS,
    snapshot: SNAPSHOT_MS,
    screenshot: PICTURE_MS,
    // Seconds.
    noChangeOfV1: NO_CHANGE_SECONDS,
    // Bytes.
    jsonBody: JSON_BODY_LIMIT,
    streamInOneAnswer: ANSWER_BYTES,
    command: COMMAND_BYTES,
    textRead: READ_BYTES_MAX,
    tar: ARCHIVE_BYTES_MAX,
    evaluated: RESULT_MAX,
    messageOfBrowser: MESSAGE_MAX,
    // Counts.
    missedPongs: MISSED,
    entriesOfTar: ENTRIES_MAX,
    listed: LIST_MAX,
    found: NAMES_MAX,
    eventsOfWatcher: EVENTS_KEPT,
    charactersOfCell: TEXT_CHARACTERS,
    cellsWithoutSession: ONE_OFFS,
    references: REFS_KEPT,
    framesOfSnapshot: FRAMES_MAX,
    requests: REQUESTS_KEPT,
    charactersOfUrl: URL_KEPT,
    charactersOfDataUrl: DATA_URL_KEPT,
    charactersToOpen: URL_MAX,
    keysOfTyping: KEYS_MAX,
    charactersOfTyping: INSERT_MAX,
    sideOfPicture: SIDE_MAX,
    sessionsOfAgentBrowser: SESSIONS_MAX,
  }).toEqual({
    survey: 5000,
    heartbeat: 15_000,
    ping: 20_000,
    terminalPing: 20_000,
    background: 250,
    killAfterHardTimeoutOrClose: 2000,
    killAfterHardTimeoutOfTerminal: 2000,
    killAfterHangUp: 2000,
    idempotencyKey: 600_000,
    partOfUpload: 3_600_000,
    killAfterInterrupt: 2000,
    execution: 600_000,
    browser: 10_000,
    snapshot: 20_000,
    screenshot: 20_000,
    noChangeOfV1: 120,
    jsonBody: 33_554_432,
    streamInOneAnswer: 8_388_608,
    command: 8_388_608,
    textRead: 16_777_216,
    tar: 4_294_967_296,
    evaluated: 8_388_608,
    messageOfBrowser: 419_430_400,
    missedPongs: 2,
    entriesOfTar: 100_000,
    listed: 10_000,
    found: 10_000,
    eventsOfWatcher: 10_000,
    charactersOfCell: 2_000_000,
    cellsWithoutSession: 8,
    references: 50_000,
    framesOfSnapshot: 100,
    requests: 5000,
    charactersOfUrl: 2048,
    charactersOfDataUrl: 100,
    charactersToOpen: 2_097_152,
    keysOfTyping: 2000,
    charactersOfTyping: 1_048_576,
    sideOfPicture: 16_384,
    sessionsOfAgentBrowser: 16,
  });
});

function sameNames(given: unknown, names: readonly string[]): boolean {
  return Array.isArray(given) && JSON.stringify([...given].sort()) === JSON.stringify([...names].sort());
}

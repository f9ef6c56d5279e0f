import {
  Empty,
  enumOf,
  message,
  messageOf,
  oneOf,
  optional,
  repeated,
  type ServiceType,
  scalar,
  serverStreaming,
  textMap,
  unary,
} from '../../../http/rpc/wire-types.ts';

export const SIGNALS = { SIGNAL_UNSPECIFIED: 0, SIGNAL_SIGINT: 2, SIGNAL_SIGKILL: 9, SIGNAL_SIGTERM: 15 } as const;
const Signal = { name: 'Signal', values: SIGNALS };

const Pty = message('PTY', { cols: scalar('uint32', 1), rows: scalar('uint32', 2) });
export const ProcessConfig = message('ProcessConfig', {
  command: repeated(scalar('string', 1)),
  envVars: textMap(2),
  cwd: optional(scalar('string', 3)),
});
export const StartRequest = message('StartRequest', { config: messageOf(ProcessConfig, 1), pty: messageOf(Pty, 2) });
export const StartResponse = message('StartResponse', {
  event: oneOf({
    init: messageOf(message('InitEvent', { processId: scalar('int32', 1) }), 1),
    stdout: scalar('bytes', 2),
    stderr: scalar('bytes', 3),
    exit: messageOf(message('ExitEvent', { exitCode: scalar('int32', 1) }), 4),
  }),
});
const processId = scalar('int32', 1);

/** process.v1.ProcessService of agent-sandbox (KEP-539.2, process.proto). */
export const ProcessApi = {
  package: 'process.v1',
  name: 'ProcessService',
  methods: {
    Start: serverStreaming(StartRequest, StartResponse),
    Execute: unary(
      message('ExecuteRequest', { config: messageOf(ProcessConfig, 1) }),
      message('ExecuteResponse', {
        exitCode: scalar('int32', 1),
        stdout: scalar('bytes', 2),
        stderr: scalar('bytes', 3),
      }),
    ),
    WriteStdin: unary(
      message('WriteStdinRequest', {
        processId,
        payload: oneOf({ input: scalar('bytes', 2), eof: messageOf(Empty, 3) }),
      }),
      message('WriteStdinResponse', {}),
    ),
    SendSignal: unary(
      message('SendSignalRequest', { processId, signal: enumOf(Signal, 2) }),
      message('SendSignalResponse', {}),
    ),
    ResizeTTY: unary(
      message('ResizeTTYRequest', { processId, cols: scalar('uint32', 2), rows: scalar('uint32', 3) }),
      message('ResizeTTYResponse', {}),
    ),
  },
} satisfies ServiceType;

export const SERVING = { UNKNOWN: 0, SERVING: 1, NOT_SERVING: 2, SERVICE_UNKNOWN: 3 } as const;
const HealthRequest = message('HealthCheckRequest', { service: scalar('string', 1) });
const HealthResponse = message('HealthCheckResponse', {
  status: enumOf({ name: 'ServingStatus', values: SERVING }, 1),
});

/** grpc.health.v1.Health (GRPC Health Checking Protocol). */
export const HealthApi = {
  package: 'grpc.health.v1',
  name: 'Health',
  methods: { Check: unary(HealthRequest, HealthResponse), Watch: serverStreaming(HealthRequest, HealthResponse) },
} satisfies ServiceType;

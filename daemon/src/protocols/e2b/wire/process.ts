import {
  clientStreaming,
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

const Size = message('PTY.Size', { cols: scalar('uint32', 1), rows: scalar('uint32', 2) });
const Pty = message('PTY', { size: messageOf(Size, 1) });

const ProcessConfig = message('ProcessConfig', {
  cmd: scalar('string', 1),
  args: repeated(scalar('string', 2)),
  envs: textMap(3),
  cwd: optional(scalar('string', 4)),
});
const ProcessInfo = message('ProcessInfo', {
  config: messageOf(ProcessConfig, 1),
  pid: scalar('uint32', 2),
  tag: optional(scalar('string', 3)),
});
export const ProcessSelector = message('ProcessSelector', {
  selector: oneOf({ pid: scalar('uint32', 1), tag: scalar('string', 2) }),
});
export const ProcessInput = message('ProcessInput', {
  input: oneOf({ stdin: scalar('bytes', 1), pty: scalar('bytes', 2) }),
});

const Started = message('ProcessEvent.StartEvent', { pid: scalar('uint32', 1) });
const Data = message('ProcessEvent.DataEvent', {
  output: oneOf({ stdout: scalar('bytes', 1), stderr: scalar('bytes', 2), pty: scalar('bytes', 3) }),
});
const Ended = message('ProcessEvent.EndEvent', {
  exitCode: scalar('sint32', 1),
  exited: scalar('bool', 2),
  status: scalar('string', 3),
  error: optional(scalar('string', 4)),
});
const KeepAlive = message('ProcessEvent.KeepAlive', {});
export const ProcessEvent = message('ProcessEvent', {
  event: oneOf({
    start: messageOf(Started, 1),
    data: messageOf(Data, 2),
    end: messageOf(Ended, 3),
    keepalive: messageOf(KeepAlive, 4),
  }),
});

export const StartRequest = message('StartRequest', {
  process: messageOf(ProcessConfig, 1),
  pty: messageOf(Pty, 2),
  tag: optional(scalar('string', 3)),
  stdin: optional(scalar('bool', 4)),
});

const InputStart = message('StreamInputRequest.StartEvent', { process: messageOf(ProcessSelector, 1) });
const InputData = message('StreamInputRequest.DataEvent', { input: messageOf(ProcessInput, 2) });
const InputKeepAlive = message('StreamInputRequest.KeepAlive', {});
const StreamInputRequest = message('StreamInputRequest', {
  event: oneOf({
    start: messageOf(InputStart, 1),
    data: messageOf(InputData, 2),
    keepalive: messageOf(InputKeepAlive, 3),
  }),
});

export const SIGNALS = { SIGNAL_UNSPECIFIED: 0, SIGNAL_SIGTERM: 15, SIGNAL_SIGKILL: 9 } as const;
const Signal = { name: 'Signal', values: SIGNALS };

const event = { event: messageOf(ProcessEvent, 1) };
const process = { process: messageOf(ProcessSelector, 1) };

/** process.Process: programs and terminals of the sandbox. */
export const ProcessApi = {
  package: 'process',
  name: 'Process',
  methods: {
    List: unary(
      message('ListRequest', {}),
      message('ListResponse', { processes: repeated(messageOf(ProcessInfo, 1)) }),
    ),
    Connect: serverStreaming(message('ConnectRequest', process), message('ConnectResponse', event)),
    Start: serverStreaming(StartRequest, message('StartResponse', event)),
    Update: unary(message('UpdateRequest', { ...process, pty: messageOf(Pty, 2) }), message('UpdateResponse', {})),
    StreamInput: clientStreaming(StreamInputRequest, message('StreamInputResponse', {})),
    SendInput: unary(
      message('SendInputRequest', { ...process, input: messageOf(ProcessInput, 2) }),
      message('SendInputResponse', {}),
    ),
    SendSignal: unary(
      message('SendSignalRequest', { ...process, signal: enumOf(Signal, 2) }),
      message('SendSignalResponse', {}),
    ),
    CloseStdin: unary(message('CloseStdinRequest', process), message('CloseStdinResponse', {})),
  },
} satisfies ServiceType;

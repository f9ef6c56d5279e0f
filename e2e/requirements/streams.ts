import { type Requirement, section } from './requirement.ts';

export const STREAMS: readonly Requirement[] = [
  ...section('docs/contract.md §1.5', {
    'stream.slow-reader': 'a reader that does not read stalls neither the producer nor another reader',
    'stream.first-offset': 'where bytes were dropped because of a cap, first_offset says where data begins',
    'stream.exit-after-eof': 'the terminal event follows the reaping and the end of the output',
    'stream.background-250ms': 'if a started process still holds the pipes, the end follows 250 ms after the reaping',
    'stream.background-output': 'what is written after that end goes to the log and is readable by offset',
    'stream.cut-and-resume': 'a stream that is cut has no terminal event, and the client resumes by offset',
    'stream.json-8mib': 'one JSON answer carries at most 8 MiB of a stream, "no limit" included',
    'stream.ndjson': 'NDJSON is one JSON object a line, as application/x-ndjson',
    'stream.heartbeat': 'a heartbeat line is sent after 15 s of silence',
    'stream.close-kills-nothing': 'closing a stream does not kill what it was reading',
    'stream.utf8-whole': 'a text slice never splits a UTF-8 sequence',
    'stream.utf8-replaced': 'bytes that are not UTF-8 become U+FFFD',
    'stream.base64-exact': 'encoding=base64 gives the exact bytes',
  }),
  ...section('docs/contract.md §1.5', {
    'websocket.ping': 'a protocol ping is sent every 20 s and two missed pongs end the connection',
    'websocket.close-kills-nothing': 'closing a socket does not kill what it was reading',
  }),
];

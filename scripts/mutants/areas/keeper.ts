import type { MutantArea } from '../mutant.ts';

export const KEEPER: MutantArea = {
  name: 'keeper',
  tests: ['daemon/src/core/process'],
  mutants: [
    {
      id: 'repeated-input-is-written-again',
      file: 'daemon/keeper/input.c',
      text: 'bytes += input->taken - offset;',
      replacement: '',
    },
    {
      id: 'end-of-input-drops-held-bytes',
      file: 'daemon/keeper/input.c',
      text: `  if (input->length == 0)
    shut(input);`,
      replacement: '  shut(input);',
    },
    {
      id: 'output-exceeds-cap-by-a-segment',
      file: 'daemon/keeper/segments.c',
      text: 'retained(segments) > segments->cap - segments->bytes_each',
      replacement: 'retained(segments) > segments->cap',
    },
    {
      id: 'id-is-one-byte-too-long',
      file: 'daemon/keeper/frame.c',
      text: 'length == MAX_ID ||',
      replacement: 'length > MAX_ID ||',
    },
    {
      id: 'string-with-nul-is-taken',
      file: 'daemon/keeper/frame.c',
      text: 'if (reader->bad || memchr(bytes, 0, length) != NULL) {',
      replacement: 'if (reader->bad) {',
    },
    {
      id: 'memory-in-kilobytes',
      file: 'daemon/keeper/reap.c',
      text: '(uint64_t)usage->ru_maxrss * 1024',
      replacement: '(uint64_t)usage->ru_maxrss',
    },
    {
      id: 'crowd-evicts-the-client',
      file: 'daemon/keeper/connection.c',
      text: 'if (!connection->greeted && (oldest == NULL || connection->number < oldest->number))',
      replacement: 'if (oldest == NULL || connection->number < oldest->number)',
    },
    {
      id: 'socket-is-open-to-all',
      file: 'daemon/keeper/runtime-dir.c',
      text: 'chmod(SOCKET_NAME, 0600)',
      replacement: 'chmod(SOCKET_NAME, 0666)',
    },
  ],
};

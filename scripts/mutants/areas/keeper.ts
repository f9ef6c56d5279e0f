import type { MutantArea } from '../mutant.ts';

export const KEEPER: MutantArea = {
  name: 'keeper',
  tests: ['daemon/src/core/process'],
  mutants: [
    {
      id: 'repeated-input-is-written-again',
      file: 'daemon/keeper/input.c',
      text: 'bytes += input->taken - piece->offset;',
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
      id: 'streams-stay-armed',
      file: 'daemon/keeper/output.c',
      text: '#define ONE_EVENT (EPOLLIN | EPOLLONESHOT)',
      replacement: '#define ONE_EVENT EPOLLIN',
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
      file: 'daemon/keeper/clients.c',
      text: 'if (!connection->greeted && (oldest == NULL || connection->number < oldest->number))',
      replacement: 'if (oldest == NULL || connection->number < oldest->number)',
    },
    {
      id: 'socket-is-open-to-all',
      file: 'daemon/keeper/runtime-dir.c',
      text: 'chmod(SOCKET_NAME, 0600)',
      replacement: 'chmod(SOCKET_NAME, 0666)',
    },
    {
      id: 'any-child-of-the-keeper-is-adopted',
      file: 'daemon/keeper/adoption.c',
      text: 'found.parent == getpid() && found.session == parent->pid',
      replacement: 'found.parent == getpid()',
    },
    {
      id: 'process-of-another-uid-is-adopted',
      file: 'daemon/keeper/adoption.c',
      text: 'same = ids[0] == uid && ids[1] == uid && ids[2] == uid && ids[3] == uid;',
      replacement: 'same = ids[0] == ids[1] || ids[0] == uid;',
    },
    {
      id: 'adopted-before-it-is-an-orphan',
      file: 'daemon/keeper/adoption.c',
      text: 'found.parent == getpid() && found',
      replacement: 'found',
    },
    {
      id: 'reservation-outlives-its-client',
      file: 'daemon/keeper/clients.c',
      text: '  reservations_drop(clients->reservations);\n',
      replacement: '',
    },
    {
      id: 'mark-of-a-forker-finds-what-it-forked',
      file: 'daemon/keeper/finder.c',
      text: '} else if (is_forker(finder, marks[i].id)) {',
      replacement: '} else if (is_forker(finder, marks[i].id) && marks[i].pid == 0) {',
    },
    {
      id: 'given-up-process-runs-on',
      file: 'daemon/src/core/process/keeper/keeper-reservations.ts',
      text: '    this.#kill(hosted);\n',
      replacement: '',
    },
    {
      id: 'reused-session-is-signalled',
      file: 'daemon/keeper/finder.c',
      text: '      found->claimed = false;\n      disown(',
      replacement: '      disown(',
    },
    {
      id: 'reused-session-is-signalled-without-keeper',
      file: 'daemon/src/core/process/find/process-finder.ts',
      text: 'marks.has(pid) && !own.has(',
      replacement: 'marks.has(pid) && own.has(',
    },
    {
      id: 'unreached-process-is-counted',
      file: 'daemon/keeper/signal-members.c',
      text: 'signalling->signal == 0 || may_signal(found)',
      replacement: 'signalling->signal == 0 || may_signal(found) || found->pid > 0',
    },
    {
      id: 'limits-are-not-sent',
      file: 'daemon/src/core/process/keeper/keeper-starts.ts',
      text: 'putLimits(frame, limits);',
      replacement: 'putLimits(frame, {});',
    },
    {
      id: 'start-without-a-bound',
      file: 'daemon/keeper/spawn.c',
      text: 'if (left <= 0) {',
      replacement: 'if (left <= -3600000) {',
    },
    {
      id: 'end-without-a-client-is-not-written',
      file: 'daemon/keeper/ended-file.c',
      text: '(files->first->write_at <= now || !has_client)',
      replacement: '(files->first->write_at <= now && has_client)',
    },
  ],
};

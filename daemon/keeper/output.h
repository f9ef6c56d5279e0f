#ifndef KEEPER_OUTPUT_H
#define KEEPER_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "loop.h"
#include "segments.h"

enum stream_number { STDOUT_STREAM, STDERR_STREAM, PTY_STREAM };

struct process;

/* What the client was told of a stream. */
struct told_stream {
  uint64_t end;
  /* Segments that begin here or later were not announced. */
  uint64_t next;
  uint64_t first;
  int64_t at;
  /* When there was nothing left to tell but the end; 0 before that. */
  int64_t eof_at;
  bool eof;
};

/* One stream of a process on its way from pipe or terminal to its segment files. */
struct stream {
  struct source source;
  struct process *process;
  enum stream_number number;
  /* Splice is refused here: read and write. */
  bool copies;
  bool widened;
  /* Bytes that came, dropped ones included. */
  uint64_t end;
  struct segments segments;
  struct told_stream told;
};

/* Takes `fd`, which does not block; false, with errno and the descriptor closed, where it cannot be waited for. */
bool stream_open(struct stream *stream, struct process *process, enum stream_number number, int fd, uint64_t cap,
                 uint32_t segment_bytes);
/* Takes what has come so far, and its end where that has come too. */
void stream_catch_up(struct stream *stream);
/* Unlinks what there is. What still comes is read and not kept where the process is `discarded`. */
void stream_discard(struct stream *stream);
/* Frees it; its files stay. */
void stream_free(struct stream *stream);

#endif

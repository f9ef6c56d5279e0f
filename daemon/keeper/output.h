#ifndef KEEPER_OUTPUT_H
#define KEEPER_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "loop.h"

enum stream_number { STDOUT_STREAM, STDERR_STREAM, PTY_STREAM };

struct process;

struct segment {
  uint64_t start;
  uint64_t end;
};

/* What the client was told of a stream. */
struct told_stream {
  uint64_t end;
  /* Segments that begin here or later were not announced. */
  uint64_t next;
  uint64_t first;
  int64_t at;
  bool eof;
};

/* One stream of a process on its way from pipe or terminal to its segment files (docs/output-log.md). */
struct stream {
  struct source source;
  struct process *process;
  enum stream_number number;
  /* Splice is refused here: read and write. */
  bool copies;
  bool widened;
  int file;
  uint32_t segment_bytes;
  uint64_t cap;
  uint64_t end;
  /* Where the oldest segment that is kept begins. */
  uint64_t first;
  struct segment *segments;
  uint32_t count;
  uint32_t capacity;
  struct told_stream told;
};

/* The arrival order of stdout and stderr. */
struct order {
  int file;
  int speaking;
  uint64_t count;
  uint64_t told;
};

/* `directory` has to stay. */
void output_open(const char *directory);
/* Takes `fd`, which does not block; false, with errno and the descriptor closed, where it cannot be waited for. */
bool stream_open(struct stream *stream, struct process *process, enum stream_number number, int fd, uint64_t cap,
                 uint32_t segment_bytes);
/* Unlinks what there is. What still comes is read and not kept where the process is `discarded`. */
void stream_discard(struct stream *stream);
/* Frees it; its files stay. */
void stream_free(struct stream *stream);
void order_close(struct order *order);
void order_discard(struct order *order, const char *id);

#endif

#ifndef KEEPER_OUTPUT_H
#define KEEPER_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/loop.h"
#include "streams/segments.h"

enum stream_number { STDOUT_STREAM, STDERR_STREAM, PTY_STREAM };

struct process;
struct stream;

#define COPY_BYTES (64u * 1024)

/* What the streams of all processes share. */
struct outputs {
  struct loop *loop;
  /* Streams without a descriptor for their file, and when they are read again. */
  struct stream *paused;
  int64_t resume_at;
  /* Bytes on disk, and bytes that the disk refused. */
  uint64_t stored;
  uint64_t dropped;
  uint8_t buffer[COPY_BYTES];
};

/* What the owner of a stream does about it. */
struct stream_events {
  void (*grown)(struct stream *stream);
  void (*ended)(struct stream *stream);
};

/* One stream of a process, from its pipe or terminal to its segment files. */
struct stream {
  struct source source;
  struct outputs *outputs;
  struct process *process;
  const struct stream_events *events;
  enum stream_number number;
  /* Its output is not kept any more: it is read and dropped. */
  bool discarded;
  /* splice(2) is refused here: read and write instead. */
  bool copies;
  bool widened;
  /* No descriptor was left for its file: it is read again later, and the process waits at a full pipe. */
  bool paused;
  struct stream *next_paused;
  /* Bytes produced, dropped ones included. */
  uint64_t end;
  struct segments segments;
  /* The end that is announced. */
  uint64_t announced;
};

/* Takes over `fd`, which does not block; false, with errno and `fd` closed, if the loop cannot wait for it. */
struct stream_open {
  struct outputs *outputs;
  struct process *process;
  const struct output_files *files;
  const struct stream_events *events;
  enum stream_number number;
  int fd;
  uint64_t cap;
  uint32_t segment_bytes;
};
bool stream_open(struct stream *stream, const struct stream_open *terms);
/* Moves everything that was produced so far, and detects the end of the stream. */
void stream_catch_up(struct stream *stream);
/*
 * Ends the stream. A terminal hangs up, as when a terminal emulator closes its window: jobs that still have it open live
 * on, read an end of file and cannot write (tty_ioctl(4)).
 */
void stream_close(struct stream *stream);
/* The client has dropped the segments that begin before this offset. */
void stream_trim(struct stream *stream, uint64_t first);
/* Unlinks its files. Later output of a `discarded` process is read and not kept. */
void stream_discard(struct stream *stream);
/* Reads paused streams again. Returns the ms until the next attempt, -1 if none is paused. */
int streams_due(struct outputs *outputs, int64_t now);
/* Frees it; its files stay. */
void stream_free(struct stream *stream);

#endif

#ifndef KEEPER_PROCESS_STREAMS_H
#define KEEPER_PROCESS_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "process/process.h"
#include "start/start.h"

/* The keeper's ends of pipes or terminal, which do not block. -1 if none exists. */
struct own_ends {
  int in;
  /* Also of a terminal. */
  int out;
  int err;
};

/* The ends that a new process gets; on a terminal `in` alone. -1 if none exists. */
struct child_ends {
  int in;
  int out;
  int err;
  int script;
};

/* How the output of a process is kept. */
struct keeping {
  bool terminal;
  uint64_t cap;
  uint32_t segment_bytes;
};

/* Opens pipes or a terminal; false, with errno. What was opened until then stays open. */
bool open_ends(const struct start *start, struct own_ends *own, struct child_ends *others);
/* In memory, or in an unlinked file; -1 with errno. */
int open_script(const struct start *start);
bool terminal_resize(int own, uint16_t columns, uint16_t rows);
/* The foreground group; 0 if none exists. */
pid_t terminal_foreground(int own);
/* Gives the ends to the process; false, with errno and all closed, if the loop cannot wait for one. */
bool hold_ends(struct process *process, const struct keeping *keeping, struct own_ends *own);

#endif

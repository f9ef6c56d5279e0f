#ifndef KEEPER_INPUT_H
#define KEEPER_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "loop.h"

/* Bytes that are held for one process at most. */
#define INPUT_WINDOW (64u * 1024)

struct process;

/* What goes to the stdin of a process, or to its terminal. Closed where `source.fd` is -1. */
struct input {
  struct source source;
  struct process *process;
  uint8_t *bytes;
  uint32_t start;
  uint32_t length;
  /* What the client may send. */
  uint32_t credit;
  /* What it may send besides and was not told yet. */
  uint32_t owed;
  /* The offset up to which everything was taken. */
  uint64_t taken;
  bool ends;
};

/* Takes `fd`, which does not block; false, with errno and the descriptor closed, where it cannot be waited for. */
bool input_open(struct input *input, struct process *process, int fd);
/*
 * `offset` is that of the first byte: what was taken before is skipped, and where something before it is missing nothing
 * is taken. False where there is no credit for so many.
 */
bool input_write(struct input *input, uint64_t offset, const uint8_t *bytes, uint32_t count);
/* Closes it after what it holds, if that is all up to `offset`. */
void input_end(struct input *input, uint64_t offset);
void input_close(struct input *input);

#endif

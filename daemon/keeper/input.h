#ifndef KEEPER_INPUT_H
#define KEEPER_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "loop.h"

/* The most bytes held for one process. */
#define INPUT_WINDOW (64u * 1024)

struct process;

/* The stdin of a process, or the input of its terminal. Closed where `source.fd` is -1. */
struct input {
  struct source source;
  struct process *process;
  /* Called when something about it has to be announced. */
  void (*changed)(struct process *process);
  uint8_t *bytes;
  uint32_t start;
  uint32_t length;
  /* The offset up to which everything was taken, and the one up to which the client was told to send. */
  uint64_t taken;
  uint64_t limit;
  bool ends;
};

/* Takes over `fd`, which does not block; false, with errno and `fd` closed, where the loop cannot wait for it. */
bool input_open(struct input *input, struct loop *loop, int fd, struct process *process,
                void (*changed)(struct process *process));
/*
 * `offset` is that of the first byte: bytes taken before are skipped, and nothing is taken where bytes before it are
 * missing. False where the credit is exceeded.
 */
bool input_write(struct input *input, uint64_t offset, const uint8_t *bytes, uint32_t count);
/* Closes it after the held bytes, if everything up to `offset` was taken. */
void input_end(struct input *input, uint64_t offset);
/* The offset up to which the client may send. */
uint64_t input_limit(const struct input *input);
void input_close(struct input *input);

#endif

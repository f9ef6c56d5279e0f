#ifndef KEEPER_INPUT_H
#define KEEPER_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "streams/input-blocks.h"

/* Takes over `fd`, which does not block; false, with errno and `fd` closed, if the loop cannot wait for it. */
bool input_open(struct input *input, struct input_pool *pool, struct loop *loop, int fd, struct process *process,
                void (*changed)(struct process *process));
/* The bytes of a STDIN frame; `offset` is that of the first one. */
struct input_piece {
  uint64_t sequence;
  bool asks;
  uint64_t offset;
  const uint8_t *bytes;
  uint32_t count;
};

/* Takes what fits. Bytes taken before are skipped, and nothing is taken if bytes before it are missing. */
void input_write(struct input *input, const struct input_piece *piece);
/* Closes it after the held bytes, if everything up to `offset` was taken. */
void input_end(struct input *input, uint64_t offset);
/* Bytes that would be taken now. */
uint32_t input_room(const struct input *input);
/* A new client: it has sent nothing. */
void input_greet(struct input *input);
void input_close(struct input *input);

#endif

#ifndef KEEPER_STATE_FRAME_H
#define KEEPER_STATE_FRAME_H

#include <stdbool.h>
#include <stddef.h>

#include "base/frame.h"
#include "process/process.h"

/* The frames about a process: FAILED and STATE, which notes what it has announced. */
void put_failed(struct writer *writer, const struct process *process);
void put_state(struct writer *writer, struct process *process, bool has_record);
/* More than its STATE takes. */
size_t state_bytes(const struct process *process);
/* Whether there is that much room; an empty buffer is made larger if it is not enough. */
bool make_room(struct writer *writer, size_t room);
/* Writes HELD for each process that has not ended, then LISTED. Allocates the room once; false if it cannot. */
bool put_held(struct writer *writer, const struct processes *processes);

#endif

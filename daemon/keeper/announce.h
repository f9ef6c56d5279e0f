#ifndef KEEPER_ANNOUNCE_H
#define KEEPER_ANNOUNCE_H

#include <stdbool.h>
#include <stdint.h>

#include "frame.h"

struct process;

/*
 * Kept free of announcements, so that answers always find room. While there is less, no frame is read; what is left
 * serves the hunts that are under way.
 */
#define ANSWER_ROOM (4u * 1024)

/* Nothing of any process was told yet: a new client. */
void announce_anew(void);
/* The client knows that it was started. */
void announced_start(struct process *process);
/*
 * Says what has changed, as far as there is room; `writer` NULL: nobody is there. ms until bulk output that was held
 * back is due, -1 where none was.
 */
int announce(struct writer *writer, int64_t now);

/* What has not ended, for a daemon of whatever version. Makes room, once; false where that cannot be. */
bool announce_held(struct writer *writer);

#endif

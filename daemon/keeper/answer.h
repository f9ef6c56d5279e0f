#ifndef KEEPER_ANSWER_H
#define KEEPER_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#include "frame.h"
#include "process.h"

/* Answers that wait for room in the output buffer. `client` is the number of the connection that asked. */
void answer_signalled(uint64_t client, uint32_t request, uint32_t count);
/* A start that is refused before there is a process; one that fails later is announced. */
void answer_failed(uint64_t client, const char *id, struct failure failure);
/* What the keeper counts. */
void answer_figures(uint64_t client, uint32_t request);
void answer_reserved(uint64_t client, const char *id);
/* So many answers wait that no further frame is read until the client has read some. */
bool answers_clogged(void);
/* Writes as many as there is room for; those for other clients are dropped. `writer` may be NULL. */
void answers_flush(struct writer *writer, uint64_t client);

#endif

#ifndef KEEPER_ANSWER_H
#define KEEPER_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/frame.h"
#include "process/process.h"

/* What the keeper counts, in the order of FIGURES; docs/keeper.md. */
struct figures {
  /* Now. */
  uint64_t processes;
  uint64_t living;
  uint64_t starting;
  uint64_t reserved;
  uint64_t searches;
  /* Since the keeper began. */
  uint64_t started;
  uint64_t adopted;
  uint64_t ended;
  uint64_t output_bytes;
  uint64_t dropped_bytes;
  uint64_t log_count;
};

struct answer;

/* Answers that wait for room in the output buffer. */
struct answers {
  struct answer *first;
  struct answer *last;
  uint32_t waiting;
};

/* `client` is the number of the connection that asked. */
void answer_signalled(struct answers *answers, uint64_t client, uint32_t request, uint32_t count);
/* A start that is refused before there is a process; one that fails later is announced. */
void answer_failed(struct answers *answers, uint64_t client, const char *id, struct failure failure);
void answer_figures(struct answers *answers, uint64_t client, uint32_t request, const struct figures *figures);
/* Kills for memory of a process and its descendants; `process` may be NULL. */
void answer_kills(struct answers *answers, uint64_t client, uint32_t request, const struct process *process);
void answer_reserved(struct answers *answers, uint64_t client, const char *id);
/* So many answers wait that no further frame is read until the client has read some. */
bool answers_clogged(const struct answers *answers);
/* Writes as many as there is room for; those for other clients are dropped. `writer` may be NULL. */
void answers_flush(struct answers *answers, struct writer *writer, uint64_t client);

#endif

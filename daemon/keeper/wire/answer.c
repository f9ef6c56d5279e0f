#include "wire/answer.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"

#define MAX_WAITING 1024u

struct answer {
  struct answer *next;
  uint64_t client;
  enum frame_type type;
  uint32_t request;
  uint32_t count;
  struct failure failure;
  struct figures figures;
  uint64_t ms_ago;
  char program[PROGRAM_BYTES];
  char id[MAX_ID + 1];
};

static struct answer *append(struct answers *answers, uint64_t client, enum frame_type type)
{
  struct answer *answer = calloc(1, sizeof *answer);
  if (answer == NULL) {
    log_error("calloc", "an answer is lost");
    return NULL;
  }
  answer->client = client;
  answer->type = type;
  if (answers->last == NULL)
    answers->first = answer;
  else
    answers->last->next = answer;
  answers->last = answer;
  answers->waiting++;
  return answer;
}

void answer_signalled(struct answers *answers, uint64_t client, uint32_t request, uint32_t count)
{
  struct answer *answer = client == 0 ? NULL : append(answers, client, SIGNALLED);
  if (answer == NULL)
    return;
  answer->request = request;
  answer->count = count;
}

void answer_failed(struct answers *answers, uint64_t client, const char *id, struct failure failure)
{
  struct answer *answer = append(answers, client, FAILED);
  if (answer == NULL)
    return;
  answer->failure = failure;
  memcpy(answer->id, id, strlen(id) + 1);
}

void answer_figures(struct answers *answers, uint64_t client, uint32_t request, const struct figures *figures)
{
  struct answer *answer = append(answers, client, FIGURES_ANSWER);
  if (answer == NULL)
    return;
  answer->request = request;
  answer->figures = *figures;
}

void answer_kills(struct answers *answers, uint64_t client, uint32_t request, const struct process *process)
{
  struct answer *answer = append(answers, client, KILLS_ANSWER);
  if (answer == NULL)
    return;
  answer->request = request;
  if (process == NULL || process->oom.kills == 0)
    return;
  answer->count = process->oom.kills;
  answer->ms_ago = (uint64_t)(monotonic_ms() - process->oom.killed_at);
  memcpy(answer->program, process->oom.program, sizeof answer->program);
}

void answer_reserved(struct answers *answers, uint64_t client, const char *id)
{
  struct answer *answer = append(answers, client, ID_RESERVED);
  if (answer != NULL)
    memcpy(answer->id, id, strlen(id) + 1);
}

bool answers_clogged(const struct answers *answers)
{
  return answers->waiting >= MAX_WAITING;
}

static void put_figures(struct writer *writer, const struct figures *figures)
{
  const uint64_t values[] = {
      figures->processes, figures->living,  figures->starting, figures->reserved,     figures->searches,
      figures->started,   figures->adopted, figures->ended,    figures->output_bytes, figures->dropped_bytes,
      figures->log_count,
  };
  size_t count = sizeof values / sizeof *values;
  put_u8(writer, (uint8_t)count);
  for (size_t i = 0; i < count; i++)
    put_u64(writer, values[i]);
}

static void put_answer(struct writer *writer, const struct answer *answer)
{
  begin_frame(writer, answer->type);
  switch (answer->type) {
  case SIGNALLED:
    put_u32(writer, answer->request);
    put_u32(writer, answer->count);
    break;
  case FIGURES_ANSWER:
    put_u32(writer, answer->request);
    put_figures(writer, &answer->figures);
    break;
  case KILLS_ANSWER:
    put_u32(writer, answer->request);
    put_u32(writer, answer->count);
    put_u64(writer, answer->ms_ago);
    put_string(writer, answer->program);
    break;
  case FAILED:
    put_string(writer, answer->id);
    put_u8(writer, (uint8_t)answer->failure.stage);
    put_u32(writer, (uint32_t)answer->failure.error);
    break;
  default:
    put_string(writer, answer->id);
  }
  end_frame(writer);
}

void answers_flush(struct answers *answers, struct writer *writer, uint64_t client)
{
  while (answers->first != NULL) {
    struct answer *answer = answers->first;
    bool wanted = writer != NULL && answer->client == client;
    if (wanted && !has_room(writer, FRAME_ROOM))
      return;
    if (wanted)
      put_answer(writer, answer);
    answers->first = answer->next;
    if (answers->first == NULL)
      answers->last = NULL;
    answers->waiting--;
    free(answer);
  }
}

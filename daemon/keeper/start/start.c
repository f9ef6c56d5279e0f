#include "start/start.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define MAX_STRINGS (256u * 1024)
#define PROMPT_FLAG 1u
#define FORKS_FLAG 2u

/* A list for execve that points into the frame; NULL if the frame is bad or memory is short. */
static char **take_strings(struct reader *reader)
{
  uint32_t count = take_u32(reader);
  if (reader->bad || count > MAX_STRINGS || reader->left / 4 < count) {
    reader->bad = true;
    return NULL;
  }
  char **strings = malloc((count + 1) * sizeof *strings);
  if (strings == NULL) {
    reader->bad = true;
    return NULL;
  }
  for (uint32_t i = 0; i < count; i++)
    strings[i] = take_string(reader);
  strings[count] = NULL;
  return strings;
}

static void take_limits(struct reader *reader, struct start *start)
{
  start->limit_count = take_u8(reader);
  if (start->limit_count > MAX_LIMITS)
    reader->bad = true;
  for (int i = 0; i < start->limit_count && !reader->bad; i++) {
    struct limit *limit = &start->limits[i];
    limit->kind = take_u8(reader);
    limit->soft = take_u64(reader);
    limit->hard = take_u64(reader);
    bool is_known = limit->kind < RLIM_NLIMITS || (limit->kind == LIMIT_NICE && limit->soft < 40) ||
                    (limit->kind == LIMIT_OOM && limit->soft <= 2000);
    if (!is_known)
      reader->bad = true;
    if (limit->kind != LIMIT_OOM)
      continue;
    start->has_oom_score = true;
    start->oom_score = (int)limit->soft - 1000;
  }
}

int start_score(const struct start *start, int usual)
{
  return start->has_oom_score ? start->oom_score : usual;
}

struct start start_take(struct reader *reader)
{
  struct start start = {.memory = malloc(reader->left + 1)};
  if (start.memory == NULL) {
    reader->bad = true;
    return start;
  }
  memcpy(start.memory, reader->at, reader->left);
  struct reader copy = {.at = start.memory, .left = reader->left};
  start.id = take_id(&copy);
  uint8_t kind = take_u8(&copy);
  uint8_t flags = take_u8(&copy);
  start.prompt = (flags & PROMPT_FLAG) != 0;
  start.forks = (flags & FORKS_FLAG) != 0;
  start.columns = take_u16(&copy);
  start.rows = take_u16(&copy);
  start.cap = take_u64(&copy);
  start.segment_bytes = take_u32(&copy);
  start.account = take_account(&copy);
  start.cwd = take_string(&copy);
  start.file = take_string(&copy);
  start.argv = take_strings(&copy);
  start.envp = take_strings(&copy);
  start.has_script = take_flag(&copy);
  if (start.has_script)
    start.script = take_bytes(&copy, &start.script_length);
  take_limits(&copy, &start);
  start.record = take_bytes(&copy, &start.record_length);
  if (start.record_length > MAX_RECORD)
    copy.bad = true;
  if (kind > STDIN_TERMINAL || flags > (PROMPT_FLAG | FORKS_FLAG))
    copy.bad = true;
  else
    start.stdin_kind = (enum stdin_kind)kind;
  *reader = copy;
  return start;
}

void start_free(struct start *start)
{
  free(start->account.groups);
  free(start->argv);
  free(start->envp);
  free(start->memory);
}

#include "request.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "finder.h"
#include "find-and-signal.h"
#include "pty.h"
#include "reap.h"
#include "spawn.h"
#include "stop.h"

#define MAX_STRINGS (256u * 1024)
#define MAX_TARGETS 4096u
#define MAX_SIGNAL 64u
#define MAX_GRACE_MS (10u * 60 * 1000)
#define MAX_RECORD (512u * 1024)

/* A list for execve that points into the frame; NULL where the frame is bad or memory is short. */
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
  }
}

static struct start take_start(struct reader *reader)
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
  start.prompt = take_flag(&copy);
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
  if (kind > STDIN_TERMINAL)
    copy.bad = true;
  else
    start.stdin_kind = (enum stdin_kind)kind;
  *reader = copy;
  return start;
}

static void on_start(uint64_t client, struct reader *reader)
{
  struct start start = take_start(reader);
  if (finished(reader)) {
    struct failure failure = {HOLD_STAGE, ESHUTDOWN};
    if (is_stopping() || !spawn(&start, client, &failure))
      answer_failed(client, start.id, failure);
  }
  start_free(&start);
}

static struct target take_target(struct reader *reader)
{
  struct target target = {0};
  const char *id = take_id(reader);
  if (!reader->bad)
    memcpy(target.id, id, strlen(id) + 1);
  uint32_t pid = take_u32(reader);
  /* A pid of 0 or beyond the positive range of pid_t means no process. */
  target.pid = pid > INT32_MAX ? 0 : (pid_t)pid;
  target.running = take_flag(reader);
  target.account = take_account(reader);
  return target;
}

static void on_signal(uint64_t client, struct reader *reader)
{
  uint32_t request = take_u32(reader);
  uint32_t number = take_u32(reader);
  uint32_t count = take_u32(reader);
  if (reader->bad || number > MAX_SIGNAL || count > MAX_TARGETS || reader->left / 10 < count) {
    reader->bad = true;
    return;
  }
  struct target *targets = calloc(count + 1, sizeof *targets);
  if (targets == NULL) {
    reader->bad = true;
    return;
  }
  for (uint32_t i = 0; i < count; i++)
    targets[i] = take_target(reader);
  if (!finished(reader))
    free_targets(targets, count);
  else if (!find_and_signal(targets, count, (int)number, client, request))
    reader->bad = true;
}

static void on_foreground(uint64_t client, struct reader *reader)
{
  uint32_t request = take_u32(reader);
  uint32_t number = take_u32(reader);
  const struct process *process = process_by_id(take_id(reader));
  if (number > MAX_SIGNAL)
    reader->bad = true;
  if (!finished(reader))
    return;
  pid_t group = 0;
  if (process != NULL && process->stdin_kind == STDIN_TERMINAL && process->streams[0].source.fd >= 0)
    group = pty_foreground(process->streams[0].source.fd);
  bool sent = group > 0 && kill(-group, (int)number) == 0;
  answer_signalled(client, request, sent);
}

static void on_stdin(struct reader *reader)
{
  struct process *process = process_by_id(take_id(reader));
  uint64_t offset = take_u64(reader);
  uint32_t length;
  const uint8_t *bytes = take_bytes(reader, &length);
  if (finished(reader) && process != NULL && !input_write(&process->input, offset, bytes, length))
    reader->bad = true;
}

static void on_stdin_eof(struct reader *reader)
{
  struct process *process = process_by_id(take_id(reader));
  uint64_t offset = take_u64(reader);
  if (finished(reader) && process != NULL && process->stdin_kind == STDIN_PIPE)
    input_end(&process->input, offset);
}

static void on_resize(struct reader *reader)
{
  const struct process *process = process_by_id(take_id(reader));
  uint16_t columns = take_u16(reader);
  uint16_t rows = take_u16(reader);
  if (finished(reader) && process != NULL && process->stdin_kind == STDIN_TERMINAL &&
      process->streams[0].source.fd >= 0)
    pty_resize(process->streams[0].source.fd, columns, rows);
}

static void on_forget(struct reader *reader)
{
  uint32_t count = take_u32(reader);
  for (uint32_t i = 0; i < count && !reader->bad; i++) {
    struct process *process = process_by_id(take_id(reader));
    bool discard = take_flag(reader);
    if (!reader->bad && process != NULL)
      process_forget(process, discard);
  }
}

static void on_trim(struct reader *reader)
{
  struct process *process = process_by_id(take_id(reader));
  uint8_t number = take_u8(reader);
  uint64_t first = take_u64(reader);
  if (number > PTY_STREAM)
    reader->bad = true;
  for (int i = 0; finished(reader) && process != NULL && i < process->stream_count; i++)
    if (process->streams[i].number == number)
      stream_trim(&process->streams[i], first);
}

static void on_shutdown(struct reader *reader)
{
  uint32_t grace = take_u32(reader);
  if (grace > MAX_GRACE_MS)
    reader->bad = true;
  if (finished(reader))
    stop(grace);
}

bool handle_request(uint64_t client, uint8_t type, struct reader *reader)
{
  switch (type) {
  case START:
    on_start(client, reader);
    break;
  case STDIN:
    on_stdin(reader);
    break;
  case STDIN_EOF:
    on_stdin_eof(reader);
    break;
  case RESIZE:
    on_resize(reader);
    break;
  case SIGNAL:
    on_signal(client, reader);
    break;
  case FOREGROUND:
    on_foreground(client, reader);
    break;
  case FORGET:
    on_forget(reader);
    break;
  case SHUTDOWN:
    on_shutdown(reader);
    break;
  case TRIM:
    on_trim(reader);
    break;
  default:
    return false;
  }
  return finished(reader);
}

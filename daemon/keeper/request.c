#include "request.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "start/process-streams.h"

#define MAX_TARGETS 4096u
#define MAX_SIGNAL 64u
#define MAX_GRACE_MS (10u * 60 * 1000)
#define MAX_RESERVED_MS (10u * 60 * 1000)

static void on_start(struct keeper *keeper, uint64_t client, struct reader *reader)
{
  struct start start = start_take(reader);
  if (finished(reader)) {
    struct failure failure = {HOLD_STAGE, ESHUTDOWN};
    if (is_stopping(&keeper->stop) || !spawn(&keeper->launches, &start, client, &failure))
      answer_failed(&keeper->answers, client, start.id, failure);
  }
  start_free(&start);
}

static void on_reserve(struct keeper *keeper, uint64_t client, struct reader *reader)
{
  struct reservation_terms terms = {.forker = take_id(reader), .id = take_id(reader)};
  terms.has_stdin = take_flag(reader);
  terms.cap = take_u64(reader);
  terms.segment_bytes = take_u32(reader);
  terms.ms = take_u32(reader);
  terms.record = take_bytes(reader, &terms.record_length);
  if (terms.ms == 0 || terms.ms > MAX_RESERVED_MS || terms.record_length > MAX_RECORD)
    reader->bad = true;
  if (!finished(reader))
    return;
  struct failure failure = {HOLD_STAGE, ESHUTDOWN};
  if (!is_stopping(&keeper->stop) && reserve(&keeper->forkers, &terms, client, &failure))
    answer_reserved(&keeper->answers, client, terms.id);
  else
    answer_failed(&keeper->answers, client, terms.id, failure);
}

static void on_figures(struct keeper *keeper, uint64_t client, struct reader *reader)
{
  uint32_t request = take_u32(reader);
  if (!finished(reader))
    return;
  struct figures figures = {
      .processes = keeper->processes.count,
      .living = live_count(&keeper->processes),
      .starting = keeper->launches.count,
      .reserved = keeper->reservations.count,
      .searches = keeper->searches.count,
      .started = keeper->processes.started,
      .adopted = keeper->forkers.adopted,
      .ended = keeper->reaper.ended,
      .output_bytes = keeper->outputs.stored,
      .dropped_bytes = keeper->outputs.dropped,
      .log_count = log_count(),
  };
  answer_figures(&keeper->answers, client, request, &figures);
}

static void on_kills(struct keeper *keeper, uint64_t client, struct reader *reader)
{
  uint32_t request = take_u32(reader);
  const struct process *process = process_by_id(&keeper->processes, take_id(reader));
  if (!finished(reader))
    return;
  memory_watch_settle(&keeper->memory);
  answer_kills(&keeper->answers, client, request, process);
}

static void on_release(struct keeper *keeper, struct reader *reader)
{
  struct process *process = process_by_id(&keeper->processes, take_id(reader));
  if (finished(reader) && process != NULL)
    reservation_release(&keeper->reservations, process);
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

static void on_signal(struct keeper *keeper, uint64_t client, struct reader *reader)
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
  else if (!find_and_signal(&keeper->searches, targets, count, (int)number, client, request))
    reader->bad = true;
}

static void on_foreground(struct keeper *keeper, uint64_t client, struct reader *reader)
{
  uint32_t request = take_u32(reader);
  uint32_t number = take_u32(reader);
  const struct process *process = process_by_id(&keeper->processes, take_id(reader));
  if (number > MAX_SIGNAL)
    reader->bad = true;
  if (!finished(reader))
    return;
  pid_t group = 0;
  if (process != NULL && process->stdin_kind == STDIN_TERMINAL && process->streams[0].source.fd >= 0)
    group = terminal_foreground(process->streams[0].source.fd);
  bool sent = group > 0 && kill(-group, (int)number) == 0;
  answer_signalled(&keeper->answers, client, request, sent);
}

static void on_stdin(struct keeper *keeper, struct reader *reader)
{
  struct process *process = process_by_id(&keeper->processes, take_id(reader));
  struct input_piece piece = {.sequence = take_u64(reader)};
  piece.asks = take_flag(reader);
  piece.offset = take_u64(reader);
  piece.bytes = take_bytes(reader, &piece.count);
  if (finished(reader) && process != NULL)
    input_write(&process->input, &piece);
}

static void on_stdin_eof(struct keeper *keeper, struct reader *reader)
{
  struct process *process = process_by_id(&keeper->processes, take_id(reader));
  uint64_t offset = take_u64(reader);
  if (finished(reader) && process != NULL && process->stdin_kind == STDIN_PIPE)
    input_end(&process->input, offset);
}

static void on_resize(struct keeper *keeper, struct reader *reader)
{
  const struct process *process = process_by_id(&keeper->processes, take_id(reader));
  uint16_t columns = take_u16(reader);
  uint16_t rows = take_u16(reader);
  if (finished(reader) && process != NULL && process->stdin_kind == STDIN_TERMINAL &&
      process->streams[0].source.fd >= 0)
    terminal_resize(process->streams[0].source.fd, columns, rows);
}

static void on_forget(struct keeper *keeper, struct reader *reader)
{
  uint32_t count = take_u32(reader);
  for (uint32_t i = 0; i < count && !reader->bad; i++) {
    struct process *process = process_by_id(&keeper->processes, take_id(reader));
    bool discard = take_flag(reader);
    if (!reader->bad && process != NULL)
      process_forget(&keeper->reaper, process, discard);
  }
}

static void on_trim(struct keeper *keeper, struct reader *reader)
{
  struct process *process = process_by_id(&keeper->processes, take_id(reader));
  uint8_t number = take_u8(reader);
  uint64_t first = take_u64(reader);
  if (number > PTY_STREAM)
    reader->bad = true;
  for (int i = 0; finished(reader) && process != NULL && i < process->stream_count; i++)
    if (process->streams[i].number == number)
      stream_trim(&process->streams[i], first);
}

static void on_shutdown(struct keeper *keeper, struct reader *reader)
{
  uint32_t grace = take_u32(reader);
  if (grace > MAX_GRACE_MS)
    reader->bad = true;
  if (finished(reader))
    begin_to_stop(&keeper->stop, grace);
}

bool handle_request(struct keeper *keeper, uint64_t client, uint8_t type, struct reader *reader)
{
  switch (type) {
  case START:
    on_start(keeper, client, reader);
    break;
  case STDIN:
    on_stdin(keeper, reader);
    break;
  case STDIN_EOF:
    on_stdin_eof(keeper, reader);
    break;
  case RESIZE:
    on_resize(keeper, reader);
    break;
  case SIGNAL:
    on_signal(keeper, client, reader);
    break;
  case FOREGROUND:
    on_foreground(keeper, client, reader);
    break;
  case FORGET:
    on_forget(keeper, reader);
    break;
  case SHUTDOWN:
    on_shutdown(keeper, reader);
    break;
  case RESERVE:
    on_reserve(keeper, client, reader);
    break;
  case FIGURES:
    on_figures(keeper, client, reader);
    break;
  case KILLS:
    on_kills(keeper, client, reader);
    break;
  case RELEASE:
    on_release(keeper, reader);
    break;
  case TRIM:
    on_trim(keeper, reader);
    break;
  default:
    return false;
  }
  return finished(reader);
}

#include "process/ended-file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

/* ms that a connected client may take to send FORGET before the end is written to its file. */
#define MOMENT_MS 20

static void path_of(char path[PATH_MAX], const struct ended_files *files, const char *id, const char *suffix)
{
  snprintf(path, PATH_MAX, "%s/%s.json%s", files->directory, id, suffix);
}

static const char BASE64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void put_base64(FILE *file, const struct record *record)
{
  for (uint32_t i = 0; i < record->length; i += 3) {
    uint32_t bits = (uint32_t)record->bytes[i] << 16;
    bits |= i + 1 < record->length ? (uint32_t)record->bytes[i + 1] << 8 : 0;
    bits |= i + 2 < record->length ? (uint32_t)record->bytes[i + 2] : 0;
    fputc(BASE64[bits >> 18], file);
    fputc(BASE64[bits >> 12 & 63], file);
    fputc(i + 1 < record->length ? BASE64[bits >> 6 & 63] : '=', file);
    fputc(i + 2 < record->length ? BASE64[bits & 63] : '=', file);
  }
}

/* Whether all of it was written. */
static bool describe(FILE *file, const struct process *process)
{
  const struct end *end = &process->end;
  const struct stream *streams = process->streams;
  fprintf(file,
          "{\"pid\":%d,\"by_signal\":%s,\"value\":%" PRIu32 ",\"user_us\":%" PRIu64 ",\"system_us\":%" PRIu64
          ",\"max_rss_bytes\":%" PRIu64 ",\"oom_killed\":%s,\"oom_process\":\"%s\",\"background\":%s"
          ",\"ended_ms\":%" PRId64 ",\"ends\":[%" PRIu64 ",%" PRIu64 "],\"stdin\":[%" PRIu64 ",%" PRIu64
          "],\"record\":\"",
          process->pid, end->by_signal ? "true" : "false", end->value, end->user_us, end->system_us, end->max_rss,
          end->oom_killed == 2   ? "null"
          : end->oom_killed == 1 ? "true"
                                 : "false",
          process->oom.program, end->background ? "true" : "false", end->at, streams[0].end,
          process->stream_count > 1 ? streams[1].end : 0, process->input.taken, process->input.dropped);
  put_base64(file, &process->record);
  fputs("\"}\n", file);
  bool failed = ferror(file) != 0;
  return fclose(file) == 0 && !failed;
}

static int create(const char *path)
{
  return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

static void write_file(const struct ended_files *files, const struct process *process)
{
  char path[PATH_MAX], fresh[PATH_MAX];
  path_of(path, files, process->id, "");
  path_of(fresh, files, process->id, ".new");
  int file = create(fresh);
  /* A cleaner of temporary directories may have removed it. */
  if (file < 0 && errno == ENOENT && mkdir(files->directory, 0700) == 0)
    file = create(fresh);
  if (file < 0) {
    log_error("cannot note an end in", fresh);
    return;
  }
  FILE *stream = fdopen(file, "w");
  if (stream == NULL)
    close(file);
  else if (describe(stream, process) && rename(fresh, path) == 0)
    return;
  log_error("cannot note an end in", fresh);
  unlink(fresh);
}

static void leave(struct ended_files *files, struct process *process)
{
  struct process **at = &files->first;
  struct process *before = NULL;
  while (*at != NULL && *at != process) {
    before = *at;
    at = &before->next_unwritten;
  }
  if (*at == NULL)
    return;
  *at = process->next_unwritten;
  if (files->last == process)
    files->last = before;
}

void ended_file_wanted(struct ended_files *files, struct process *process)
{
  process->unwritten = true;
  process->write_at = monotonic_ms() + MOMENT_MS;
  process->next_unwritten = NULL;
  if (files->last == NULL)
    files->first = process;
  else
    files->last->next_unwritten = process;
  files->last = process;
}

void ended_file_unwanted(struct ended_files *files, struct process *process)
{
  if (process->phase != ENDED)
    return;
  if (process->unwritten) {
    leave(files, process);
    process->unwritten = false;
    return;
  }
  char path[PATH_MAX];
  path_of(path, files, process->id, "");
  unlink(path);
}

int ended_files_due(struct ended_files *files, int64_t now, bool has_client)
{
  while (files->first != NULL && (files->first->write_at <= now || !has_client)) {
    struct process *process = files->first;
    leave(files, process);
    process->unwritten = false;
    write_file(files, process);
  }
  return files->first == NULL ? -1 : (int)(files->first->write_at - now);
}

#ifndef KEEPER_PROCESS_H
#define KEEPER_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "frame.h"
#include "input.h"
#include "order.h"
#include "output.h"

#define MAX_PROCESSES 4096u

enum stdin_kind { STDIN_NULL, STDIN_PIPE, STDIN_TERMINAL };

/* How it ended; docs/keeper.md, EXIT. */
struct end {
  bool by_signal;
  bool background;
  uint8_t oom_killed;
  uint32_t value;
  uint64_t user_us;
  uint64_t system_us;
  uint64_t max_rss;
  int64_t at;
};

struct told_process {
  /* SYNCED waits until all of it was told. */
  bool awaited;
  bool introduced;
  bool exit;
  bool stdin_closed;
};

struct process {
  struct process *next, *previous;
  struct process *next_of_id, *next_of_pid;
  struct process *next_changed;
  struct process *next_draining;
  struct process *next_unwritten;
  char id[MAX_ID + 1];
  pid_t pid;
  enum stdin_kind stdin_kind;
  bool changed;
  /* Not reaped. */
  bool running;
  /* `end` is complete. */
  bool ended;
  /* Its end waits to be written to its file. */
  bool unwritten;
  int64_t write_at;
  /* The client has noted its end. */
  bool forgotten;
  /* Nothing of its output is kept any more. */
  bool discarded;
  uint8_t stream_count;
  uint8_t open_streams;
  struct stream streams[2];
  struct order order;
  struct input input;
  struct end end;
  int64_t started_wall;
  int64_t started_monotonic;
  int64_t drained_by;
  int64_t oom_before;
  struct told_process told;
};

uint32_t process_count(void);
/* How many of them run or have a stream open. */
uint32_t live_count(void);
struct process *first_process(void);
struct process *process_by_id(const char *id);
/* Only one that runs. */
struct process *process_by_pid(pid_t pid);
/* A new one, in the table but without pid and streams; NULL, with errno, where that cannot be. */
struct process *process_add(const char *id);
/* From now on it runs. */
void process_runs(struct process *process, pid_t pid);
/* It was reaped: its pid may become another's. */
void process_stops(struct process *process);
/* Takes it out at once: it never ran, or nobody needs it. Its files stay. */
void process_remove(struct process *process);
/* Something about it has to be told. */
void process_changed(struct process *process);
/* One of its streams has come to its end. */
void process_stream_ended(struct process *process);
void process_forget(struct process *process, bool discard);

/* Those about which there is something to tell, each once; the list is empty afterwards. */
struct process *take_changed(void);
bool any_changed(void);
/* After all was told, or where nobody is there to be told: frees it where nothing is left of it to do. */
void process_settled(struct process *process);
/* Frees what was removed in this turn. */
void bury(void);

#endif

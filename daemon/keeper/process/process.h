#ifndef KEEPER_PROCESS_H
#define KEEPER_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/frame.h"
#include "memory/oom.h"
#include "streams/input.h"
#include "streams/output.h"

#define MAX_PROCESSES 4096u

enum stdin_kind { STDIN_NULL, STDIN_PIPE, STDIN_TERMINAL };

/* Life of a process; docs/keeper.md. Until it is reaped it is STARTING, RESERVED or RUNNING. */
enum phase {
  /* Its child has not called execve yet. */
  STARTING,
  /* It was not started: FAILED is not announced yet. */
  UNSTARTED,
  /* Its id is that of a process which a forker will hand over. */
  RESERVED,
  RUNNING,
  /* Reaped, while another process holds its output open. */
  DRAINING,
  /* `end` is complete. */
  ENDED,
};

/* Where a start failed. */
enum stage {
  HOLD_STAGE = 1,
  PIPE_STAGE,
  SCRIPT_STAGE,
  CLONE_STAGE,
  SESSION_STAGE,
  ACCOUNT_STAGE,
  CWD_STAGE,
  EXEC_STAGE,
  ADOPTION_STAGE
};

struct failure {
  enum stage stage;
  int error;
};

/* How a process ended; docs/keeper.md, STATE. */
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

struct announced_process {
  /* SYNCED waits until its state is announced. */
  bool awaited;
  bool introduced;
  /* The offset up to which the client may send stdin. */
  uint64_t limit;
  /* ms of the last announcement, and since when only its end has been missing (0: something else was). */
  int64_t at;
  int64_t ending_at;
};

/* What the client stores with a process; returned with its first announcement to another client. */
struct record {
  uint8_t *bytes;
  uint32_t length;
};

struct process {
  /* First, since it links the memory that is freed later. */
  struct process *next, *previous;
  struct processes *table;
  struct process *next_of_id, *next_of_pid;
  struct process *next_changed;
  struct process *next_draining;
  struct process *next_unwritten;
  char id[MAX_ID + 1];
  pid_t pid;
  enum stdin_kind stdin_kind;
  enum phase phase;
  /* Number of the connection that asked for it. */
  uint64_t client;
  struct failure failure;
  bool changed;
  /* The keeper has sent it SIGKILL. */
  bool killed;
  /* Its start is announced at once, not together with a soon end. */
  bool prompt;
  /* It may hand over processes that it forks. */
  bool forks;
  /* The id of the forker that handed it over, or will; else empty. */
  char forker[MAX_ID + 1];
  struct record record;
  /* Its end is not written to its file yet. */
  bool unwritten;
  int64_t write_at;
  /* FORGET has come. */
  bool forgotten;
  /* Its output is not kept any more. */
  bool discarded;
  uint8_t stream_count;
  uint8_t open_streams;
  struct output_files files;
  struct stream streams[2];
  struct order order;
  struct input input;
  struct end end;
  int64_t started_wall;
  int64_t started_monotonic;
  int64_t drained_by;
  struct oom_mark oom;
  struct announced_process announced;
};

#define BUCKETS 1024u

/* All processes that the keeper holds. */
struct processes {
  struct loop *loop;
  struct oom *oom;
  struct outputs *outputs;
  /* Directory of their output. */
  const char *directory;
  struct process *all;
  struct process *of_id[BUCKETS];
  struct process *of_pid[BUCKETS];
  /* Those with something to announce. */
  struct process *changed;
  struct input_pool inputs;
  uint32_t count;
  /* Since the keeper began. */
  uint64_t started;
  /* Called with `context` when a process was reaped and its last stream has ended. */
  void (*drained)(void *context, struct process *process);
  void *context;
};

/* How many of them run or have a stream open. */
uint32_t live_count(const struct processes *processes);
struct process *process_by_id(struct processes *processes, const char *id);
/* Finds a process only until it is reaped. */
struct process *process_by_pid(struct processes *processes, pid_t pid);
/* Adds a process without pid and streams to the table; NULL, with errno, if that fails. */
struct process *process_add(struct processes *processes, const char *id);
/* Copies what is returned with its first announcement to another client; false if memory is short. */
bool process_keep_record(struct process *process, const uint8_t *bytes, uint32_t length);
/* Not reaped: its pid is still that of the process. */
bool process_lives(const struct process *process);
/* Its child exists as `pid`. */
void process_cloned(struct process *process, pid_t pid);
/* Its child has called execve. */
void process_started(struct process *process);
/* Its start failed: it stays until that is announced. */
void process_unstarted(struct process *process, struct failure failure);
/* The process was reaped: the system may reuse its pid. */
void process_stops(struct process *process);
/* Removes it from the table: it never ran, or is not needed any more. Its files stay. */
void process_remove(struct process *process);
/* Inputs that were refused bytes because of others are announced: there is room again. */
void processes_relieve(void *processes);
/* Something about it has to be announced. */
void process_changed(struct process *process);
/* What a process does about its streams. */
extern const struct stream_events process_stream_events;
/* The processes with something to announce, each once; the list is empty afterwards. */
struct process *take_changed(struct processes *processes);

#endif

#include "serve.h"

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptors.h"
#include "base/log.h"
#include "request.h"

#define DEFAULT_GRACE_MS 2000

static bool unneeded(struct keeper *keeper, const struct serve_options *options, int64_t now, int *wait)
{
  *wait = -1;
  if (!options->detach || has_client(&keeper->clients))
    keeper->needed_at = now;
  else if (live_count(&keeper->processes) > 0)
    keeper->needed_at = now;
  else
    *wait = (int)(options->idle_ms - (now - keeper->needed_at));
  return options->detach && now - keeper->needed_at >= options->idle_ms;
}

static void signals_ready(struct source *source, uint32_t events)
{
  (void)events;
  struct keeper *keeper = (struct keeper *)(void *)((char *)source - offsetof(struct keeper, signals));
  struct signalfd_siginfo info;
  while (read(source->fd, &info, sizeof info) == sizeof info) {
    if (info.ssi_signo == SIGCHLD)
      reap(&keeper->reaper);
    else
      begin_to_stop(&keeper->stop, DEFAULT_GRACE_MS);
  }
}

static void open_signals(struct keeper *keeper)
{
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);
  if (sigprocmask(SIG_SETMASK, &set, NULL) < 0)
    log_fatal("sigprocmask", NULL);
  keeper->signals = (struct source){.fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK), .ready = signals_ready};
  if (keeper->signals.fd < 0 || !loop_add(&keeper->loop, &keeper->signals, EPOLLIN))
    log_fatal("signalfd", NULL);
}

/* Children inherit ignored signals: none is ignored, even if the keeper was started so. */
static void reset_signals(void)
{
  for (int number = 1; number < NSIG; number++)
    signal(number, SIG_DFL);
  signal(SIGPIPE, SIG_IGN);
  /* A limit on the size of files drops output as a full disk does. */
  signal(SIGXFSZ, SIG_IGN);
}

/* The parent exits, which shows that the socket listens. */
static void go_to_background(const char *directory)
{
  pid_t pid = fork();
  if (pid < 0)
    log_fatal("fork", NULL);
  if (pid > 0)
    _exit(0);
  if (setsid() < 0)
    log_fatal("setsid", NULL);
  int log = log_open(directory);
  for (int fd = 0; fd < 3; fd++)
    if (dup2(fd == 2 && log >= 0 ? log : LAST_OCCUPIED, fd) < 0)
      log_fatal("dup2", NULL);
  if (log >= 0)
    close(log);
}

static int sooner(int a, int b)
{
  if (a < 0 || b < 0)
    return a < 0 ? b : a;
  return a < b ? a : b;
}

/* One turn of the loop; false when the keeper ends. */
static bool turn(struct keeper *keeper, const struct serve_options *options, int *wait)
{
  loop_turn(&keeper->loop, *wait);
  loop_free_removed(&keeper->loop);
  int64_t now = monotonic_ms();
  int of_life;
  *wait = end_overdue(&keeper->reaper, now);
  *wait = sooner(*wait, memory_watch_due(&keeper->memory, now));
  *wait = sooner(*wait, streams_due(&keeper->outputs, now));
  *wait = sooner(*wait, launches_due(&keeper->launches, now));
  *wait = sooner(*wait, reservations_due(&keeper->reservations, now));
  *wait = sooner(*wait, continue_searches(&keeper->searches, now));
  *wait = sooner(*wait, ended_files_due(&keeper->ended_files, now, has_client(&keeper->clients)));
  *wait = sooner(*wait, clients_flush(&keeper->clients, now));
  bool over = is_stopping(&keeper->stop) ? stopped(&keeper->stop, now, clients_idle(&keeper->clients), &of_life)
                                         : unneeded(keeper, options, now, &of_life);
  *wait = sooner(*wait, of_life);
  loop_free_removed(&keeper->loop);
  return !over;
}

static bool on_request(void *context, uint64_t client, uint8_t type, struct reader *reader)
{
  return handle_request(context, client, type, reader);
}

/* Tells each part which others it uses. */
static void connect_parts(struct keeper *keeper)
{
  keeper->outputs.loop = &keeper->loop;
  keeper->processes.loop = &keeper->loop;
  keeper->processes.oom = &keeper->oom;
  keeper->processes.outputs = &keeper->outputs;
  keeper->processes.inputs.relieved = processes_relieve;
  keeper->processes.inputs.context = &keeper->processes;
  keeper->processes.directory = keeper->dir.output;
  keeper->ended_files.directory = keeper->dir.ended;
  keeper->reservations.processes = &keeper->processes;
  keeper->forkers.processes = &keeper->processes;
  keeper->forkers.reservations = &keeper->reservations;
  keeper->launches.processes = &keeper->processes;
  keeper->launches.forkers = &keeper->forkers;
  keeper->finder.processes = &keeper->processes;
  keeper->searches.finder = &keeper->finder;
  keeper->searches.answers = &keeper->answers;
  keeper->memory.processes = &keeper->processes;
  keeper->memory.finder = &keeper->finder;
  keeper->stop.dir = &keeper->dir;
  keeper->stop.searches = &keeper->searches;
  keeper->reaper.processes = &keeper->processes;
  keeper->reaper.launches = &keeper->launches;
  keeper->reaper.forkers = &keeper->forkers;
  keeper->reaper.searches = &keeper->searches;
  keeper->reaper.memory = &keeper->memory;
  keeper->reaper.files = &keeper->ended_files;
  keeper->announcer.processes = &keeper->processes;
  keeper->announcer.reaper = &keeper->reaper;
  keeper->clients.processes = &keeper->processes;
  keeper->clients.reservations = &keeper->reservations;
  keeper->clients.finder = &keeper->finder;
  keeper->clients.answers = &keeper->answers;
  keeper->clients.announcer = &keeper->announcer;
  keeper->clients.request = on_request;
  keeper->clients.context = keeper;
}

int serve(const struct serve_options *options)
{
  reset_signals();
  arrange_descriptors();
  static struct keeper only;
  struct keeper *keeper = &only;
  spawn_open(&keeper->launches, options->no_new_privileges);
  int listening = runtime_dir_open(options->directory, &keeper->dir);
  if (options->detach)
    go_to_background(options->directory);
  if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
    log_error("prctl", "PR_SET_CHILD_SUBREAPER");
  connect_parts(keeper);
  loop_open(&keeper->loop);
  open_signals(keeper);
  memory_room_open(&keeper->memory.room);
  oom_open(&keeper->oom);
  memory_watch_open(&keeper->memory);
  reap_open(&keeper->reaper);
  keeper->clients.stays = !options->detach;
  clients_open(&keeper->clients, listening);
  if (!options->detach)
    dprintf(1, "keeper: serves %s\n", options->directory);
  keeper->needed_at = monotonic_ms();
  int wait = 0;
  while (turn(keeper, options, &wait))
    continue;
  ended_files_due(&keeper->ended_files, INT64_MAX, false);
  runtime_dir_leave(&keeper->dir);
  return 0;
}

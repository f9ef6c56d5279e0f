#include "serve.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "complain.h"
#include "connection.h"
#include "descriptors.h"
#include "ended-file.h"
#include "find-and-signal.h"
#include "listener.h"
#include "loop.h"
#include "oom.h"
#include "output-file.h"
#include "process.h"
#include "reap.h"
#include "reservation.h"
#include "runtime-dir.h"
#include "spawn.h"
#include "stop.h"

#define DEFAULT_GRACE_MS 2000
#define MAX_LOG_BYTES (1024 * 1024)

/* The highest descriptor that a child is given; the keeper has /dev/null there. */
#define LAST_OCCUPIED 4

static int64_t needed_at;
static struct source signals;
static struct runtime_dir dir;

static bool unneeded(const struct serve_options *options, int64_t now, int *wait)
{
  *wait = -1;
  if (!options->detach || has_client())
    needed_at = now;
  else if (live_count() > 0)
    needed_at = now;
  else
    *wait = (int)(options->idle_ms - (now - needed_at));
  return options->detach && now - needed_at >= options->idle_ms;
}

static void signals_ready(struct source *source, uint32_t events)
{
  (void)events;
  struct signalfd_siginfo info;
  while (read(source->fd, &info, sizeof info) == sizeof info) {
    if (info.ssi_signo == SIGCHLD)
      reap();
    else
      stop(DEFAULT_GRACE_MS);
  }
}

static void open_signals(void)
{
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);
  if (sigprocmask(SIG_SETMASK, &set, NULL) < 0)
    give_up("sigprocmask", NULL);
  signals = (struct source){.fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK), .ready = signals_ready};
  if (signals.fd < 0 || !loop_add(&signals, EPOLLIN))
    give_up("signalfd", NULL);
}

/* Children inherit ignored signals: none is ignored, whatever the keeper was started with. */
static void reset_signals(void)
{
  for (int number = 1; number < NSIG; number++)
    signal(number, SIG_DFL);
  signal(SIGPIPE, SIG_IGN);
  /* A limit on the size of files drops output as a full disk does. */
  signal(SIGXFSZ, SIG_IGN);
}

/* Keeps 0 to 4 occupied, so that dup2 for a child never hits a descriptor of the keeper; closes the other inherited. */
static void arrange_descriptors(void)
{
  int null;
  while ((null = open("/dev/null", O_RDWR | O_CLOEXEC)) >= 0 && null < LAST_OCCUPIED)
    continue;
  if (null < 0)
    give_up("open", "/dev/null");
  if (null != LAST_OCCUPIED && dup3(null, LAST_OCCUPIED, O_CLOEXEC) < 0)
    give_up("dup3", NULL);
  close_from(LAST_OCCUPIED + 1);
}

/* What fails in the background stands here; begun anew once it is long. -1 where there is none. */
static int open_log(const char *directory)
{
  char path[PATH_MAX];
  struct stat log;
  if (snprintf(path, sizeof path, "%s/keeper.log", directory) >= (int)sizeof path)
    return -1;
  bool is_long = stat(path, &log) == 0 && log.st_size > MAX_LOG_BYTES;
  return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | (is_long ? O_TRUNC : 0), 0600);
}

/* The parent exits, which shows that the socket listens. */
static void go_to_background(const char *directory)
{
  pid_t pid = fork();
  if (pid < 0)
    give_up("fork", NULL);
  if (pid > 0)
    _exit(0);
  if (setsid() < 0)
    give_up("setsid", NULL);
  int log = open_log(directory);
  for (int fd = 0; fd < 3; fd++)
    if (dup2(fd == 2 && log >= 0 ? log : LAST_OCCUPIED, fd) < 0)
      give_up("dup2", NULL);
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
static bool turn(const struct serve_options *options, int *wait)
{
  loop_turn(*wait);
  free_removed();
  int64_t now = monotonic_ms();
  int of_life;
  *wait = end_overdue(now);
  *wait = sooner(*wait, streams_due(now));
  *wait = sooner(*wait, launches_due(now));
  *wait = sooner(*wait, reservations_due(now));
  *wait = sooner(*wait, continue_searches(now));
  *wait = sooner(*wait, ended_files_due(now, has_client()));
  *wait = sooner(*wait, connections_flush(now));
  bool over = is_stopping() ? stopped(now, connections_idle(), &of_life) : unneeded(options, now, &of_life);
  *wait = sooner(*wait, of_life);
  free_removed();
  return !over;
}

int serve(const struct serve_options *options)
{
  reset_signals();
  arrange_descriptors();
  spawn_open(options->no_new_privileges);
  int listening = runtime_dir_open(options->directory, &dir);
  if (options->detach)
    go_to_background(options->directory);
  if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
    complain("prctl", "PR_SET_CHILD_SUBREAPER");
  loop_open();
  open_signals();
  oom_open();
  output_open(dir.output);
  ended_files_open(dir.ended);
  reap_open();
  stop_open(&dir);
  connections_open(!options->detach);
  listen_on(listening);
  if (!options->detach)
    dprintf(1, "keeper: serves %s\n", options->directory);
  needed_at = monotonic_ms();
  int wait = 0;
  while (turn(options, &wait))
    continue;
  ended_files_due(INT64_MAX, false);
  runtime_dir_leave(&dir);
  return 0;
}

#include "init.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Pauses before the services start again, in milliseconds. */
#define PAUSE_MIN_MS 1000
#define PAUSE_MAX_MS 60000
/* Services that ran for that long have started well: they begin again with the shortest pause. */
#define STEADY_MS 60000
/* Exit codes from here on are those of signals. */
#define SIGNAL_CODE 128
/* For the services to end after the command, or the command after services that cannot start. */
#define END_MS 30000
#define NEVER INT64_MAX

extern char **environ;

/* Not for the command: the credentials of the services. */
static const char *const CREDENTIALS[] = {"SVC_API_KEY=", "SANDBOX_API_KEY="};

struct init {
  char **services;
  char **command;
  char **services_environment;
  sigset_t mask;
  pid_t services_pid;
  pid_t command_pid;
  int code;
  bool is_ending;
  bool has_been_steady;
  int64_t started;
  int64_t pause;
  /* When the services start again, and when what is left is killed. */
  int64_t start_at;
  int64_t kill_at;
  const char *advice;
};

static _Noreturn void fail(const char *what)
{
  fprintf(stderr, "sandbox: %s: %s\n", what, strerror(errno));
  exit(1);
}

static int64_t now_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

static bool is_credential(const char *entry)
{
  for (size_t i = 0; i < sizeof CREDENTIALS / sizeof *CREDENTIALS; i++)
    if (strncmp(entry, CREDENTIALS[i], strlen(CREDENTIALS[i])) == 0)
      return true;
  return false;
}

/* A copy for the services; the own environment, which others can read in /proc, loses the credentials. */
static char **take_environment(void)
{
  size_t count = 0;
  while (environ[count] != NULL)
    count++;
  char **copy = calloc(count + 1, sizeof *copy);
  if (copy == NULL)
    fail("environment");
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    copy[i] = strdup(environ[i]);
    if (copy[i] == NULL)
      fail("environment");
    if (is_credential(environ[i]))
      memset(environ[i], 0, strlen(environ[i]));
    else
      environ[kept++] = environ[i];
  }
  environ[kept] = NULL;
  return copy;
}

/* In the new process, which has a group of its own: a signal of the terminal reaches the command alone. */
static void begin(const struct init *init)
{
  setpgid(0, 0);
  sigprocmask(SIG_SETMASK, &init->mask, NULL);
}

static _Noreturn void become_command(const struct init *init)
{
  execvp(init->command[0], init->command);
  int code = errno == ENOENT ? 127 : 126;
  fprintf(stderr, "sandbox: %s: %s\n", init->command[0], strerror(errno));
  _exit(code);
}

/* Their output goes to stderr, so that stdout has that of the command alone. */
static _Noreturn void become_services(const struct init *init)
{
  execve(init->services[0], init->services, init->services_environment);
  const char *reason = strerror(errno);
  fprintf(stderr, "sandbox: %s: %s\n", init->services[0], access(init->services[0], X_OK) == 0 ? init->advice : reason);
  _exit(126);
}

static pid_t start_services(struct init *init)
{
  pid_t pid = fork();
  if (pid != 0)
    return pid;
  begin(init);
  int null = open("/dev/null", O_RDONLY);
  if (null >= 0)
    dup2(null, 0);
  if (init->command != NULL)
    dup2(2, 1);
  become_services(init);
}

static pid_t start_command(struct init *init)
{
  pid_t pid = fork();
  if (pid != 0)
    return pid;
  setpgid(0, 0);
  /* Still blocked, as this group is not in the foreground yet. */
  if (isatty(0))
    tcsetpgrp(0, getpid());
  begin(init);
  become_command(init);
}

static void run_services(struct init *init)
{
  init->started = now_ms();
  init->start_at = NEVER;
  init->services_pid = start_services(init);
  if (init->services_pid < 0) {
    fprintf(stderr, "sandbox: %s: %s\n", init->services[0], strerror(errno));
    init->services_pid = 0;
    init->start_at = init->started + PAUSE_MAX_MS;
  }
}

static void end(struct init *init, int code)
{
  if (init->is_ending)
    return;
  init->is_ending = true;
  init->code = code;
  init->start_at = NEVER;
  init->kill_at = now_ms() + END_MS;
  if (init->services_pid > 0)
    kill(init->services_pid, SIGTERM);
  if (init->command_pid > 0)
    kill(init->command_pid, SIGTERM);
}

static int code_of(int status)
{
  return WIFSIGNALED(status) ? SIGNAL_CODE + WTERMSIG(status) : WEXITSTATUS(status);
}

static void on_services_end(struct init *init, int code)
{
  int64_t now = now_ms();
  init->services_pid = 0;
  if (init->is_ending)
    return;
  /* A wrong option, a port in use: another start does not cure them. */
  bool cannot_start = code < SIGNAL_CODE && !init->has_been_steady && now - init->started < STEADY_MS;
  if (init->command == NULL || cannot_start) {
    end(init, code);
    return;
  }
  if (now - init->started >= STEADY_MS) {
    init->has_been_steady = true;
    init->pause = PAUSE_MIN_MS;
  }
  fprintf(stderr, "sandbox: the services ended with code %d; they start again in %d s\n", code,
          (int)(init->pause / 1000));
  init->start_at = now + init->pause;
  init->pause = init->pause * 2 < PAUSE_MAX_MS ? init->pause * 2 : PAUSE_MAX_MS;
}

static void reap(struct init *init)
{
  int status;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    if (pid == init->services_pid)
      on_services_end(init, code_of(status));
    if (pid == init->command_pid) {
      init->command_pid = 0;
      end(init, code_of(status));
    }
  }
}

static bool is_over(const struct init *init)
{
  return init->is_ending && init->services_pid == 0 && init->command_pid == 0;
}

static void on_time(struct init *init)
{
  int64_t now = now_ms();
  if (now >= init->start_at)
    run_services(init);
  if (now < init->kill_at)
    return;
  init->kill_at = NEVER;
  if (init->services_pid > 0)
    kill(init->services_pid, SIGKILL);
  if (init->command_pid > 0)
    kill(init->command_pid, SIGKILL);
}

static void pass_on(const struct init *init, int signal)
{
  pid_t target = init->command == NULL ? init->services_pid : init->command_pid;
  if (target > 0)
    kill(target, signal);
}

/* Without a deadline it waits for a minute, which nothing follows from. */
static void wait_for_signal(struct init *init, const sigset_t *all)
{
  int64_t next = init->start_at < init->kill_at ? init->start_at : init->kill_at;
  int64_t left = next == NEVER ? 60000 : next - now_ms();
  if (left < 0)
    left = 0;
  struct timespec timeout = {.tv_sec = left / 1000, .tv_nsec = left % 1000 * 1000000};
  int signal = sigtimedwait(all, NULL, &timeout);
  if (signal == SIGCHLD)
    reap(init);
  else if (signal > 0)
    pass_on(init, signal);
}

int init_run(char **services, char **command, const char *advice)
{
  struct init init = {
    .services = services,
    .command = command,
    .advice = advice,
    .pause = PAUSE_MIN_MS,
    .start_at = NEVER,
    .kill_at = NEVER,
  };
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &init.mask);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  init.services_environment = take_environment();
  run_services(&init);
  if (command != NULL) {
    init.command_pid = start_command(&init);
    if (init.command_pid < 0)
      fail(command[0]);
  }
  while (!is_over(&init)) {
    wait_for_signal(&init, &all);
    on_time(&init);
  }
  return init.code;
}

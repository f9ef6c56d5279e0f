#include "start/child.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/descriptors.h"

/* Descriptor of the report in the child, above those that the program gets. */
#define REPORT_FD 5

/*
 * System calls that leave `errno` alone: the child shares its thread-local memory with the keeper, which runs on
 * meanwhile. They return a negative errno. The fifth argument is 0, which prctl requires.
 */
#if !defined(KEEPER_COPIES_MEMORY) && defined(__x86_64__)
#define SHARES_MEMORY 1
static inline __attribute__((always_inline)) long call(long number, long a, long b, long c, long d)
{
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = 0;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
                   : "rcx", "r11", "memory");
  return result;
}
#elif !defined(KEEPER_COPIES_MEMORY) && defined(__aarch64__)
#define SHARES_MEMORY 1
static inline __attribute__((always_inline)) long call(long number, long a, long b, long c, long d)
{
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = 0;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory");
  return x0;
}
#else
#define SHARES_MEMORY 0
static long call(long number, long a, long b, long c, long d)
{
  long result = syscall(number, a, b, c, d, 0L);
  return result < 0 ? -errno : result;
}
#endif

#define IN_CHILD __attribute__((no_sanitize("address", "undefined"), noinline))

IN_CHILD static _Noreturn void fail(int report, enum stage stage, long result)
{
  struct child_report failed = {.stage = (int)stage, .error = (int)-result};
  call(SYS_write, report, (long)&failed, sizeof failed, 0);
  for (;;)
    call(SYS_exit_group, 127, 0, 0, 0);
}

IN_CHILD static long reset_signal(int number)
{
  /* All zero is SIG_DFL without flags, in the kernel's layout. */
  const uint64_t initial[4] = {0};
  return call(SYS_rt_sigaction, number, (long)initial, 0, 8);
}

IN_CHILD static long move_descriptors(const struct child *child)
{
  const int from[] = {child->in, child->out, child->err, child->script, child->channel};
  for (int fd = 0; fd < REPORT_FD; fd++) {
    long result = from[fd] < 0 ? 0 : call(SYS_dup3, from[fd], fd, 0, 0);
    if (result < 0)
      return result;
  }
  if (child->report != REPORT_FD) {
    long result = call(SYS_dup3, child->report, REPORT_FD, O_CLOEXEC, 0);
    if (result < 0)
      return result;
  }
#ifdef SYS_close_range
  /* Else a child that is stopped before execve would hold pipes of other processes open. */
  call(SYS_close_range, REPORT_FD + 1, ~0u, 0, 0);
#endif
  return 0;
}

/* Without CAP_SETPCAP the bounding set stays; it has no effect if no exec gains privileges. */
IN_CHILD static long confine(void)
{
  for (long capability = 0; call(SYS_prctl, PR_CAPBSET_READ, capability, 0, 0) >= 0; capability++)
    if (call(SYS_prctl, PR_CAPBSET_DROP, capability, 0, 0) < 0)
      break;
  return call(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0);
}

IN_CHILD static long set_limits(const struct child *child)
{
  const struct start *start = child->start;
  for (int i = 0; i < start->limit_count; i++) {
    const struct limit *limit = &start->limits[i];
    const uint64_t values[2] = {limit->soft, limit->hard};
    long result = 0;
    if (limit->kind == LIMIT_NICE)
      result = call(SYS_setpriority, PRIO_PROCESS, 0, (long)limit->soft - 20, 0);
    else if (limit->kind != LIMIT_OOM)
      result = call(SYS_prlimit64, 0, limit->kind, (long)values, 0);
    if (result < 0)
      return result;
  }
  return 0;
}

IN_CHILD static long become(const struct child *child)
{
  const struct account *account = &child->start->account;
  if (child->confined) {
    long confined = confine();
    if (confined < 0)
      return confined;
  }
  long result = child->is_root ? call(SYS_setgroups, account->count, (long)account->groups, 0, 0) : 0;
  if (result >= 0)
    result = call(SYS_setresgid, (long)account->gid, (long)account->gid, (long)account->gid, 0);
  if (result >= 0)
    result = call(SYS_setresuid, (long)account->uid, (long)account->uid, (long)account->uid, 0);
  return result;
}

/* It allocates nothing and writes only to its own stack. */
IN_CHILD static int run(void *argument)
{
  const struct child *child = argument;
  const uint64_t no_signals = 0;
  int report = child->report;
  reset_signal(SIGPIPE);
  reset_signal(SIGXFSZ);
  long result = call(SYS_setsid, 0, 0, 0, 0);
  if (result >= 0 && child->terminal)
    result = call(SYS_ioctl, child->in, TIOCSCTTY, 0, 0);
  if (result >= 0)
    result = move_descriptors(child);
  if (result < 0)
    fail(report, SESSION_STAGE, result);
  report = REPORT_FD;
  result = call(SYS_prlimit64, 0, RLIMIT_NOFILE, (long)&child->files, 0);
  if (result < 0)
    fail(report, SESSION_STAGE, result);
  result = set_limits(child);
  if (result < 0)
    fail(report, SESSION_STAGE, result);
  call(SYS_umask, (long)child->mask, 0, 0, 0);
  result = child->changes_account ? become(child) : 0;
  if (result < 0)
    fail(report, ACCOUNT_STAGE, result);
  result = call(SYS_chdir, (long)child->start->cwd, 0, 0, 0);
  if (result < 0)
    fail(report, CWD_STAGE, result);
  call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&no_signals, 0, 8);
  result = call(SYS_execve, (long)child->start->file, (long)child->start->argv, (long)child->start->envp, 0);
  fail(report, EXEC_STAGE, result);
}

/* struct clone_args of clone3(2), and CLONE_INTO_CGROUP, which not every libc declares. */
struct clone_terms {
  uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid, set_tid_size, cgroup;
};
#define INTO_CGROUP UINT64_C(0x200000000)

/* Without CLONE_VM, since clone3 with a stack has no wrapper in libc. -1 with errno. */
static pid_t clone_into_group(const struct child *child, int group)
{
#ifdef SYS_clone3
  struct clone_terms terms = {.flags = INTO_CGROUP, .exit_signal = SIGCHLD, .cgroup = (unsigned)group};
  long pid = syscall(SYS_clone3, &terms, sizeof terms);
  if (pid == 0)
    run((void *)(uintptr_t)child);
  return (pid_t)pid;
#else
  (void)child, (void)group;
  errno = ENOSYS;
  return -1;
#endif
}

/* Whether the error says that the system never does it. */
static bool is_refusal(void)
{
  return errno == EINVAL || errno == ENOSYS || errno == EPERM || errno == EACCES || errno == EOPNOTSUPP;
}

pid_t child_clone(struct cloning *cloning, const struct child *child, unsigned char *stack, int *group)
{
  void *top = stack + CHILD_STACK_BYTES;
  if (*group >= 0 && !cloning->ignores_groups) {
    pid_t pid = clone_into_group(child, *group);
    if (pid > 0)
      return pid;
    cloning->ignores_groups = is_refusal();
  }
  close_all(group, 1);
  if (SHARES_MEMORY && !cloning->copies_memory) {
    pid_t pid = clone(run, top, CLONE_VM | SIGCHLD, (void *)(uintptr_t)child);
    if (pid >= 0 || !is_refusal())
      return pid;
    cloning->copies_memory = true;
  }
  return clone(run, top, SIGCHLD, (void *)(uintptr_t)child);
}

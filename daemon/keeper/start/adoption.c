#include "start/adoption.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "finder/finder.h"
#include "start/adoption-helper.h"
#include "start/process-streams.h"
#include "start/reservation.h"

/* A process that may hand over others, and the helper that listens to it. */
struct forker {
  /* First, since it links the memory that is freed later. */
  struct forker *next;
  struct forkers *all;
  struct source channel;
  char id[MAX_ID + 1];
  uid_t uid;
  /* 0 once it was reaped. */
  pid_t helper;
};

static struct forker *forker_of(const struct forkers *forkers, const char *id)
{
  struct forker *forker = forkers->first;
  while (forker != NULL && strcmp(forker->id, id) != 0)
    forker = forker->next;
  return forker;
}

bool reserve(struct forkers *forkers, const struct reservation_terms *terms, uint64_t client, struct failure *failure)
{
  if (forker_of(forkers, terms->forker) != NULL)
    return reservation_add(forkers->reservations, terms, client, failure);
  *failure = (struct failure){ADOPTION_STAGE, ESRCH};
  return false;
}

/* All of real, effective, saved and file system uid. */
static bool runs_as(pid_t pid, uid_t uid)
{
  char path[32], line[256];
  snprintf(path, sizeof path, "/proc/%d/status", pid);
  FILE *status = fopen(path, "re");
  unsigned ids[4];
  bool same = false;
  while (status != NULL && fgets(line, sizeof line, status) != NULL)
    if (sscanf(line, "Uid: %u %u %u %u", &ids[0], &ids[1], &ids[2], &ids[3]) == 4)
      same = ids[0] == uid && ids[1] == uid && ids[2] == uid && ids[3] == uid;
  if (status != NULL)
    fclose(status);
  return same;
}

/*
 * Why the forker may not hand the process over; 0: it may. Only a fork leads into the session of the forker. A child of
 * the keeper keeps its pid until the keeper reaps it.
 */
static int refusal(const struct forker *forker, pid_t pid)
{
  const struct process *parent = process_by_id(forker->all->processes, forker->id);
  struct found found;
  if (parent == NULL || !process_lives(parent))
    return ECHILD;
  if (pid <= 0 || !process_stat(pid, &found))
    return ESRCH;
  bool descends = found.parent == getpid() && found.session == parent->pid;
  return descends && process_by_pid(forker->all->processes, pid) == NULL && runs_as(pid, forker->uid) ? 0 : EPERM;
}

/* Leaves the process reserved, so that the forker may try again. */
static int undo(struct process *process)
{
  int error = errno;
  for (int i = 0; i < process->stream_count; i++)
    stream_free(&process->streams[i]);
  process->stream_count = process->open_streams = 0;
  input_close(&process->input);
  return error;
}

/* 0 or an errno. Takes over the descriptors that it needs: those become -1. */
static int adopt(const struct forker *forker, const struct handover *handover, int *fds, size_t count)
{
  struct process *process = process_by_id(forker->all->processes, handover->id);
  if (process == NULL || process->phase != RESERVED || strcmp(process->forker, forker->id) != 0)
    return ENOENT;
  size_t wanted = process->stdin_kind == STDIN_PIPE ? 3 : 2;
  if (count != wanted)
    return EINVAL;
  int error = refusal(forker, handover->pid);
  if (error != 0)
    return error;
  struct keeping keeping = reservation_keeping(forker->all->reservations, process);
  struct own_ends own = {.out = fds[0], .err = fds[1], .in = count > 2 ? fds[2] : -1};
  for (size_t i = 0; i < count; i++)
    fds[i] = -1;
  if (!hold_ends(process, &keeping, &own))
    return undo(process);
  reservation_fulfil(forker->all->reservations, process);
  process_cloned(process, handover->pid);
  process_started(process);
  forker->all->adopted++;
  return 0;
}

/* -1 if nothing is there, 0 at the end, else 1. */
static int receive(int channel, struct handover *handover, int fds[MAX_HANDED], size_t *count, bool *cut)
{
  union {
    char bytes[CMSG_SPACE(MAX_HANDED * sizeof(int))];
    struct cmsghdr header;
  } control;
  struct iovec part = {.iov_base = handover, .iov_len = sizeof *handover};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes};
  message.msg_controllen = CMSG_LEN(MAX_HANDED * sizeof(int));
  ssize_t length = recvmsg(channel, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (length < 0 && (errno == EAGAIN || errno == EINTR))
    return -1;
  const struct cmsghdr *rights = length > 0 ? CMSG_FIRSTHDR(&message) : NULL;
  *count = rights == NULL ? 0 : (rights->cmsg_len - CMSG_LEN(0)) / sizeof(int);
  if (*count > 0)
    memcpy(fds, CMSG_DATA(rights), *count * sizeof(int));
  *cut = (message.msg_flags & MSG_CTRUNC) != 0;
  return length == sizeof *handover;
}

static struct forker **place_of(const struct forker *forker)
{
  struct forker **at = &forker->all->first;
  while (*at != forker)
    at = &(*at)->next;
  return at;
}

static void close_forker(struct forker *forker)
{
  *place_of(forker) = forker->next;
  loop_close(&forker->channel);
  /* Not reaped, so that the pid is still that of the helper. */
  if (forker->helper > 0)
    kill(forker->helper, SIGKILL);
  /* An event of this turn of the loop may still point at it. */
  loop_free_later(forker->all->processes->loop, forker);
}

static void channel_ready(struct source *source, uint32_t events)
{
  (void)events;
  struct forker *forker = (struct forker *)(void *)((char *)source - offsetof(struct forker, channel));
  struct handover handover;
  int fds[MAX_HANDED];
  size_t count = 0;
  bool cut = false;
  int received = receive(source->fd, &handover, fds, &count, &cut);
  if (received < 0)
    return;
  /* Its helper has ended: the forker has closed the socket, or sent what is not an ADOPT. */
  if (received == 0) {
    reservations_drop_of(forker->all->reservations, forker->id, EPIPE);
    close_forker(forker);
    return;
  }
  int error = cut ? EMFILE : adopt(forker, &handover, fds, count);
  close_all(fds, (int)count);
  (void)send(source->fd, &error, sizeof error, MSG_DONTWAIT | MSG_NOSIGNAL);
}

bool forker_open(struct forkers *forkers, const char *id, uid_t uid, int *channel)
{
  struct forker *forker = calloc(1, sizeof *forker);
  if (forker == NULL)
    return false;
  int own;
  forker->helper = adoption_helper_open(&own, channel);
  forker->channel = (struct source){.fd = own, .ready = channel_ready};
  forker->uid = uid;
  memcpy(forker->id, id, strlen(id) + 1);
  forker->all = forkers;
  forker->next = forkers->first;
  forkers->first = forker;
  if (forker->helper > 0 && loop_add(forkers->processes->loop, &forker->channel, EPOLLIN))
    return true;
  int error = errno;
  close_forker(forker);
  errno = error;
  return false;
}

void forker_close(struct forkers *forkers, struct process *process)
{
  if (!process->forks)
    return;
  struct forker *forker = forker_of(forkers, process->id);
  if (forker != NULL)
    close_forker(forker);
  reservations_drop_of(forkers->reservations, process->id, ECHILD);
}

void forker_helper_reaped(struct forkers *forkers, pid_t pid)
{
  for (struct forker *forker = forkers->first; forker != NULL; forker = forker->next)
    if (forker->helper == pid)
      forker->helper = 0;
}

#include "start/adoption-helper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/descriptors.h"

/* Descriptors of the helper. */
enum { FORKER_FD = 4, KEEPER_FD };
/* More than ADOPT takes; a longer packet ends the connection. */
#define MAX_PACKET 256
/* Length, type, length of the id, pid. */
#define ADOPT_BYTES 13u

/* One packet with its descriptors. */
struct packet {
  uint8_t bytes[MAX_PACKET];
  size_t length;
  int fds[MAX_HANDED];
  size_t count;
  /* It had more. */
  bool has_more;
};

union control {
  char bytes[CMSG_SPACE(MAX_HANDED * sizeof(int))];
  struct cmsghdr header;
};

/* The kernel delivers all descriptors of a packet as one control message; this socket asks for no others (unix(7)). */
static void take_descriptors(struct packet *packet, struct msghdr *message)
{
  const struct cmsghdr *rights = CMSG_FIRSTHDR(message);
  if (rights == NULL || rights->cmsg_level != SOL_SOCKET || rights->cmsg_type != SCM_RIGHTS)
    return;
  size_t count = (rights->cmsg_len - CMSG_LEN(0)) / sizeof(int);
  for (size_t i = 0; i < count && packet->count < MAX_HANDED; i++)
    memcpy(&packet->fds[packet->count++], CMSG_DATA(rights) + i * sizeof(int), sizeof(int));
}

/* False at the end of the connection. */
static bool receive(struct packet *packet)
{
  *packet = (struct packet){0};
  union control control;
  struct iovec part = {.iov_base = packet->bytes, .iov_len = sizeof packet->bytes};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes};
  message.msg_controllen = CMSG_LEN(MAX_HANDED * sizeof(int));
  ssize_t count;
  do
    count = recvmsg(FORKER_FD, &message, MSG_CMSG_CLOEXEC);
  while (count < 0 && errno == EINTR);
  if (count <= 0)
    return false;
  take_descriptors(packet, &message);
  packet->length = (size_t)count;
  packet->has_more = (message.msg_flags & MSG_CTRUNC) != 0;
  return (message.msg_flags & MSG_TRUNC) == 0;
}

/* False if it is not an ADOPT. */
static bool parse(struct packet *packet, struct handover *handover)
{
  if (packet->length < ADOPT_BYTES || read_u32(packet->bytes) != packet->length - 4)
    return false;
  struct reader reader = {.at = packet->bytes + 4, .left = packet->length - 4};
  bool is_adopt = take_u8(&reader) == ADOPT;
  const char *id = take_id(&reader);
  *handover = (struct handover){0};
  if (!reader.bad)
    memcpy(handover->id, id, strlen(id) + 1);
  uint32_t pid = take_u32(&reader);
  handover->pid = pid > INT32_MAX ? 0 : (pid_t)pid;
  return is_adopt && finished(&reader);
}

/*
 * Its name tells a pipe without a question to a file system, which a named pipe would ask. A description of its own
 * keeps O_NONBLOCK even if the forker changes its own.
 */
static int open_anew(int fd, int access)
{
  char link[32], name[8] = {0};
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  if (readlink(link, name, sizeof name - 1) < 0 || strncmp(name, "pipe:[", 6) != 0) {
    errno = EBADF;
    return -1;
  }
  return open(link, access | O_NONBLOCK | O_CLOEXEC);
}

/* Replaces the descriptors; 0 or an errno. */
static int open_pipes_anew(struct packet *packet)
{
  for (size_t i = 0; i < packet->count; i++) {
    int fd = open_anew(packet->fds[i], i == 2 ? O_WRONLY : O_RDONLY);
    if (fd < 0)
      return errno;
    close(packet->fds[i]);
    packet->fds[i] = fd;
  }
  return 0;
}

/* The answer of the keeper, an errno; -1 if it is gone. */
static int pass_on(const struct handover *handover, const struct packet *packet)
{
  union control control = {0};
  struct iovec part = {.iov_base = (void *)(uintptr_t)handover, .iov_len = sizeof *handover};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (packet->count > 0) {
    message.msg_control = control.bytes;
    /* size_t in glibc, socklen_t in musl. */
    message.msg_controllen = (socklen_t)CMSG_SPACE(packet->count * sizeof(int));
    struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = (socklen_t)CMSG_LEN(packet->count * sizeof(int));
    memcpy(CMSG_DATA(rights), packet->fds, packet->count * sizeof(int));
  }
  int answer;
  if (sendmsg(KEEPER_FD, &message, MSG_NOSIGNAL) < 0 || recv(KEEPER_FD, &answer, sizeof answer, 0) != sizeof answer)
    return -1;
  return answer;
}

/* Waits while the forker does not read. */
static bool answer_forker(const char *id, int error)
{
  uint8_t bytes[MAX_PACKET];
  struct writer writer = {.bytes = bytes, .capacity = sizeof bytes};
  begin_frame(&writer, ADOPTED);
  put_string(&writer, id);
  put_u32(&writer, (uint32_t)error);
  end_frame(&writer);
  return send(FORKER_FD, bytes, writer.length, MSG_NOSIGNAL) == (ssize_t)writer.length;
}

static bool serve_one(void)
{
  struct packet packet;
  struct handover handover;
  if (!receive(&packet) || !parse(&packet, &handover))
    return false;
  int error = packet.has_more ? EINVAL : open_pipes_anew(&packet);
  if (error == 0)
    error = pass_on(&handover, &packet);
  close_all(packet.fds, (int)packet.count);
  return error >= 0 && answer_forker(handover.id, error);
}

static _Noreturn void help(int forker, int keeper)
{
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (dup2(forker, FORKER_FD) < 0 || dup2(keeper, KEEPER_FD) < 0)
    _exit(1);
  close_from(KEEPER_FD + 1);
  while (serve_one())
    continue;
  _exit(0);
}

pid_t adoption_helper_open(int *own, int *others)
{
  int outer[2] = {-1, -1}, inner[2] = {-1, -1};
  pid_t helper = -1;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, outer) == 0 &&
      socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, inner) == 0)
    helper = fork();
  if (helper == 0)
    help(outer[1], inner[1]);
  close_all(&outer[1], 1);
  close_all(&inner[1], 1);
  if (helper < 0) {
    close_all(outer, 1);
    close_all(inner, 1);
  }
  *own = inner[0];
  *others = outer[0];
  return helper;
}

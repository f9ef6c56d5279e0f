/* What a forker sends to the keeper (docs/keeper.md, Adoption). */
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#define CHANNEL 4
#define MAX_FDS 16

/* ADOPT; answers its length. */
static size_t adopt_frame(uint8_t *at, const char *id, int32_t pid)
{
  uint32_t length = (uint32_t)strlen(id), rest = length + 9;
  memcpy(at, &rest, 4);
  at[4] = 48;
  memcpy(at + 5, &length, 4);
  memcpy(at + 9, id, length);
  memcpy(at + 9 + length, &pid, 4);
  return rest + 4;
}

static ssize_t send_packet(const void *bytes, size_t length, const int *fds, size_t count)
{
  union {
    char bytes[CMSG_SPACE(MAX_FDS * sizeof(int))];
    struct cmsghdr header;
  } control = {0};
  struct iovec part = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = length};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (count > 0) {
    message.msg_control = control.bytes;
    message.msg_controllen = CMSG_SPACE(count * sizeof(int));
    struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(count * sizeof(int));
    memcpy(CMSG_DATA(rights), fds, count * sizeof(int));
  }
  return sendmsg(CHANNEL, &message, MSG_NOSIGNAL);
}

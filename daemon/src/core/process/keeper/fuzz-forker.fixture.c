/* A forker (docs/keeper.md, Adoption): PREFIX SEED. Sends ADOPT of random ids, pids and descriptors, some of it broken. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "adopt-packet.fixture.h"

#define MOST_FDS 5

static uint32_t state;

static uint32_t below(uint32_t bound)
{
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state % bound;
}

/* An orphan that becomes a child of the keeper; it ends by itself. */
static pid_t orphan(void)
{
  int told[2];
  pid_t pid = 0;
  if (pipe(told) < 0)
    exit(9);
  pid_t middle = fork();
  if (middle == 0) {
    pid = fork();
    if (pid > 0)
      _exit(write(told[1], &pid, sizeof pid) != sizeof pid);
    usleep(below(50) * 1000);
    _exit((int)below(3));
  }
  if (read(told[0], &pid, sizeof pid) != sizeof pid)
    exit(9);
  waitpid(middle, NULL, 0);
  close(told[0]);
  close(told[1]);
  return pid;
}

static size_t random_frame(uint8_t *at, const char *prefix, pid_t pid)
{
  char id[128];
  snprintf(id, sizeof id, "%s-%u", prefix, below(6));
  return adopt_frame(at, id, pid);
}

/* Pipes for the most part; sometimes files. */
static int descriptor(int index)
{
  int ends[2];
  if (below(8) == 0 || pipe2(ends, O_CLOEXEC) < 0)
    return open("/dev/null", O_RDWR | O_CLOEXEC);
  int kept = index == 2;
  close(ends[!kept]);
  return ends[kept];
}

static void send_with_descriptors(const uint8_t *bytes, size_t length)
{
  int fds[MOST_FDS], count = below(4) == 0 ? (int)below(MOST_FDS + 1) : 2 + (int)below(2);
  for (int i = 0; i < count; i++)
    fds[i] = descriptor(i);
  send_packet(bytes, length, fds, (size_t)count);
  for (int i = 0; i < count; i++)
    close(fds[i]);
}

int main(int count, char **arguments)
{
  uint8_t bytes[256], answer[256];
  if (count != 3)
    return 9;
  state = (uint32_t)strtoul(arguments[2], NULL, 10) | 1;
  pid_t child = below(2) == 0 ? orphan() : getpid();
  for (uint32_t left = 1 + below(6); left > 0; left--) {
    size_t length = random_frame(bytes, arguments[1], below(4) == 0 ? (pid_t)below(100000) : child);
    if (below(6) == 0)
      bytes[below((uint32_t)length)] ^= 0xff;
    send_with_descriptors(bytes, below(10) == 0 ? below((uint32_t)length) : length);
    /* The keeper closes the socket for a message that is no ADOPT. */
    if (below(3) > 0 && recv(CHANNEL, answer, sizeof answer, 0) <= 0)
      break;
  }
  return 0;
}

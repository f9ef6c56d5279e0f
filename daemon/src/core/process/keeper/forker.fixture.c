/* A forker (docs/keeper.md, Adoption) that does what lines on its stdin say, and prints one line for each. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "adopt-packet.fixture.h"

/* The keeper's ends and the child's, of stdout, stderr and stdin; and what the child waits for. */
struct pipes {
  int own[3];
  int others[3];
  int go[2];
};

/* The errno of ADOPTED; -1 where the keeper has closed the socket. */
static int answer(void)
{
  uint8_t bytes[256];
  int32_t error;
  ssize_t length = recv(CHANNEL, bytes, sizeof bytes, 0);
  if (length < 13 || bytes[4] != 112)
    return -1;
  memcpy(&error, bytes + length - 4, 4);
  return error;
}

static int hand_over(const char *id, pid_t pid, const int *fds, size_t count)
{
  uint8_t bytes[256];
  return send_packet(bytes, adopt_frame(bytes, id, pid), fds, count) < 0 ? -1 : answer();
}

static struct pipes open_pipes(void)
{
  struct pipes pipes;
  for (int i = 0; i < 3; i++) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
      exit(9);
    pipes.own[i] = ends[i == 2];
    pipes.others[i] = ends[i != 2];
  }
  if (pipe2(pipes.go, O_CLOEXEC) < 0)
    exit(9);
  return pipes;
}

static void close_pipes(const struct pipes *pipes)
{
  for (int i = 0; i < 3; i++) {
    close(pipes->own[i]);
    close(pipes->others[i]);
  }
  close(pipes->go[0]);
  close(pipes->go[1]);
}

static _Noreturn void act(const char *mode)
{
  int value = 0;
  char bytes[4096];
  ssize_t count;
  if (sscanf(mode, "exit-%d", &value) == 1)
    _exit(value);
  if (sscanf(mode, "signal-%d", &value) == 1)
    raise(value);
  if (strcmp(mode, "echo") == 0) {
    dprintf(2, "to stderr\n");
    while ((count = read(0, bytes, sizeof bytes)) > 0)
      if (write(1, bytes, (size_t)count) != count)
        _exit(8);
    _exit(7);
  }
  if (strcmp(mode, "stray") == 0) {
    pid_t stray = fork();
    if (stray > 0) {
      dprintf(1, "%d\n", stray);
      _exit(0);
    }
  }
  if (strcmp(mode, "fill") == 0) {
    memset(bytes, 'x', sizeof bytes);
    for (int i = 0; i < 256; i++)
      if (write(1, bytes, sizeof bytes) < 0)
        _exit(8);
    _exit(0);
  }
  for (;;)
    pause();
}

/* The child: waits until it was taken over, and then is a program of its own. */
static _Noreturn void begin(struct pipes *pipes, int tell, const char *state, const char *mode)
{
  char go;
  int uid = 0;
  pid_t own = getpid();
  close(pipes->go[1]);
  if (strcmp(state, "session") == 0)
    setsid();
  if (sscanf(state, "uid-%d", &uid) == 1 && setresuid((uid_t)uid, (uid_t)uid, (uid_t)uid) < 0)
    _exit(9);
  if (write(tell, &own, sizeof own) != sizeof own || read(pipes->go[0], &go, 1) != 1)
    _exit(1);
  close(CHANNEL);
  setsid();
  dup2(pipes->others[2], 0);
  dup2(pipes->others[0], 1);
  dup2(pipes->others[1], 2);
  close_pipes(pipes);
  close(tell);
  act(mode);
}

/* `state`: `usual`, or what is wrong with the child. Prints id, errno and pid. */
static void fork_one(const char *id, int has_stdin, const char *state, const char *mode)
{
  struct pipes pipes = open_pipes();
  int told[2], null[3];
  pid_t pid = 0;
  if (pipe(told) < 0)
    exit(9);
  pid_t middle = fork();
  if (middle == 0) {
    if (fork() == 0)
      begin(&pipes, told[1], state, mode);
    if (strcmp(state, "orphan-later") != 0)
      _exit(0);
    close_pipes(&pipes);
    pause();
  }
  if (read(told[0], &pid, sizeof pid) != sizeof pid)
    exit(9);
  if (strcmp(state, "orphan-later") != 0)
    waitpid(middle, NULL, 0);
  if (strcmp(state, "dead") == 0) {
    kill(pid, SIGKILL);
    /* Until the keeper has reaped it, or it is a zombie. */
    char path[32], text[512] = {0};
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    for (int file; (file = open(path, O_RDONLY)) >= 0; close(file))
      if (read(file, text, sizeof text - 1) <= 0 || strstr(text, ") Z") != NULL)
        break;
  }
  for (int i = 0; i < 3; i++)
    null[i] = open("/dev/null", O_RDWR | O_CLOEXEC);
  int error = hand_over(id, pid, strcmp(state, "files") == 0 ? null : pipes.own, has_stdin ? 3 : 2);
  if (error == EPERM && strcmp(state, "orphan-later") == 0) {
    kill(middle, SIGKILL);
    waitpid(middle, NULL, 0);
    error = hand_over(id, pid, pipes.own, has_stdin ? 3 : 2);
  }
  if (error == 0 && write(pipes.go[1], "", 1) != 1)
    exit(9);
  close_pipes(&pipes);
  for (int i = 0; i < 3; i++)
    close(null[i]);
  close(told[0]);
  close(told[1]);
  printf("%s %d %d\n", id, error, pid);
}

/* ADOPT of any pid with so many descriptors. */
static void adopt_any(const char *id, pid_t pid, int count)
{
  int fds[MAX_FDS];
  for (int i = 0; i < count; i++)
    fds[i] = open("/dev/null", O_RDONLY);
  int ends[2];
  if (count == 2 && pipe(ends) == 0) {
    dup2(ends[0], fds[0]);
    dup2(ends[0], fds[1]);
    close(ends[0]);
    close(ends[1]);
  }
  printf("%s %d\n", id, hand_over(id, pid, fds, (size_t)count));
  for (int i = 0; i < count; i++)
    close(fds[i]);
}

/* Messages without end, the answers of which are read in between. */
static void flood(const char *id, int count)
{
  int ends[2], failed = 0;
  if (pipe(ends) < 0)
    exit(9);
  for (int i = 0; i < count && failed >= 0; i++)
    failed = hand_over(id, getpid(), ends, 2);
  printf("flood %d\n", failed);
}

/* As many as there is room for, without reading an answer. */
static void deluge(const char *id)
{
  uint8_t bytes[256];
  size_t length = adopt_frame(bytes, id, getpid());
  fcntl(CHANNEL, F_SETFL, O_NONBLOCK);
  int count = 0, full = 0;
  while (full < 1000)
    if (send_packet(bytes, length, NULL, 0) > 0)
      count++;
    else
      full++;
  printf("deluge %d\n", count > 0);
}

/*
 * Sends a TCP socket with unsent bytes that lingers, and ends: to close the last descriptor of it waits, except at the
 * end of a process. `listening` takes the connection and reads nothing.
 */
static _Noreturn void send_lingering(const char *id, int listening)
{
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  struct linger on = {.l_onoff = 1, .l_linger = 600};
  int sending = socket(AF_INET, SOCK_STREAM, 0);
  static char bytes[65536];
  if (getsockname(listening, (struct sockaddr *)&address, &size) < 0 ||
      connect(sending, (struct sockaddr *)&address, sizeof address) < 0)
    _exit(9);
  fcntl(sending, F_SETFL, O_NONBLOCK);
  while (write(sending, bytes, sizeof bytes) > 0)
    continue;
  setsockopt(sending, SOL_SOCKET, SO_LINGER, &on, sizeof on);
  uint8_t packet[256];
  int fds[2] = {sending, sending};
  _exit(send_packet(packet, adopt_frame(packet, id, 1), fds, 2) < 0);
}

static void linger(const char *id)
{
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int listening = socket(AF_INET, SOCK_STREAM, 0), failed = 0;
  if (bind(listening, (struct sockaddr *)&address, sizeof address) < 0 || listen(listening, 16) < 0)
    exit(9);
  for (int i = 0, status; i < 8; i++) {
    pid_t sender = fork();
    if (sender == 0)
      send_lingering(id, listening);
    waitpid(sender, &status, 0);
    failed += status != 0;
  }
  printf("linger %d\n", failed);
}

int main(void)
{
  char line[512], id[128], state[64], mode[64];
  int first = 0, second = 0;
  setvbuf(stdout, NULL, _IOLBF, 0);
  while (fgets(line, sizeof line, stdin) != NULL) {
    if (sscanf(line, "fork %127s %d %63s %63s", id, &first, state, mode) == 4)
      fork_one(id, first, state, mode);
    else if (sscanf(line, "adopt %127s %d %d", id, &first, &second) == 3)
      adopt_any(id, first, second);
    else if (sscanf(line, "flood %127s %d", id, &first) == 2)
      flood(id, first);
    else if (sscanf(line, "linger %127s", id) == 1)
      linger(id);
    else if (sscanf(line, "deluge %127s", id) == 1)
      deluge(id);
    else if (sscanf(line, "garbage %d", &first) == 1) {
      memset(line, first, sizeof line);
      printf("garbage %d\n", send_packet(line, (size_t)first, NULL, 0) == first ? answer() : -2);
    } else if (sscanf(line, "exit %d", &first) == 1)
      return first;
    else
      return 99;
  }
  return 0;
}

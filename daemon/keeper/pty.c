#include "pty.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

/* By name where the kernel has no TIOCGPTPEER. */
static int open_peer(int own)
{
#ifdef TIOCGPTPEER
  int peer = ioctl(own, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (peer >= 0)
    return peer;
#endif
  char path[32];
  int error = ptsname_r(own, path, sizeof path);
  if (error != 0) {
    errno = error;
    return -1;
  }
  return open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
}

bool pty_open(int *own, int *others, uint16_t columns, uint16_t rows, const struct account *account)
{
  int unlock = 0;
  struct termios modes;
  *own = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (*own < 0 || ioctl(*own, TIOCSPTLCK, &unlock) < 0)
    return false;
  *others = open_peer(*own);
  if (*others < 0 || tcgetattr(*others, &modes) < 0)
    return false;
  modes.c_iflag |= IUTF8;
  if (tcsetattr(*others, TCSANOW, &modes) < 0 || !pty_resize(*own, columns, rows))
    return false;
  return !account->given || account->uid == geteuid() ||
         (fchown(*others, account->uid, (gid_t)-1) == 0 && fchmod(*others, 0620) == 0);
}

bool pty_resize(int own, uint16_t columns, uint16_t rows)
{
  struct winsize size = {.ws_col = columns, .ws_row = rows};
  return ioctl(own, TIOCSWINSZ, &size) == 0;
}

pid_t pty_foreground(int own)
{
  pid_t group = 0;
  return ioctl(own, TIOCGPGRP, &group) == 0 && group > 1 ? group : 0;
}

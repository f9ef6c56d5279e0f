#include "start/process-streams.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "base/descriptors.h"

/* By name if the kernel has no TIOCGPTPEER. */
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

bool terminal_resize(int own, uint16_t columns, uint16_t rows)
{
  struct winsize size = {.ws_col = columns, .ws_row = rows};
  return ioctl(own, TIOCSWINSZ, &size) == 0;
}

/* `own` does not block; `others` belongs to `account`. */
static bool open_terminal(int *own, int *others, uint16_t columns, uint16_t rows, const struct account *account)
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
  if (tcsetattr(*others, TCSANOW, &modes) < 0 || !terminal_resize(*own, columns, rows))
    return false;
  return !account->given || account->uid == geteuid() ||
         (fchown(*others, account->uid, (gid_t)-1) == 0 && fchmod(*others, 0620) == 0);
}

pid_t terminal_foreground(int own)
{
  pid_t group = 0;
  return ioctl(own, TIOCGPGRP, &group) == 0 && group > 1 ? group : 0;
}

/* `own` does not block; the pipe belongs to `account`, so that the program can open it again by name. */
static bool open_pipe(int *own, int *others, bool others_reads, const struct account *account)
{
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0)
    return false;
  *own = ends[others_reads ? 1 : 0];
  *others = ends[others_reads ? 0 : 1];
  if (fcntl(*own, F_SETFL, O_NONBLOCK) < 0)
    return false;
  return !account->given || account->uid == geteuid() || fchown(*others, account->uid, account->gid) == 0;
}

bool open_ends(const struct start *start, struct own_ends *own, struct child_ends *others)
{
  if (start->stdin_kind == STDIN_TERMINAL) {
    if (!open_terminal(&own->out, &others->in, start->columns, start->rows, &start->account))
      return false;
    own->in = fcntl(own->out, F_DUPFD_CLOEXEC, 0);
    return own->in >= 0;
  }
  if (!open_pipe(&own->out, &others->out, false, &start->account) ||
      !open_pipe(&own->err, &others->err, false, &start->account))
    return false;
  if (start->stdin_kind == STDIN_PIPE)
    return open_pipe(&own->in, &others->in, true, &start->account);
  others->in = open("/dev/null", O_RDONLY | O_CLOEXEC);
  return others->in >= 0;
}

static bool write_all(int file, const uint8_t *bytes, size_t length)
{
  for (size_t done = 0; done < length;) {
    ssize_t count = pwrite(file, bytes + done, length - done, (off_t)done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    done += (size_t)count;
  }
  return true;
}

int open_script(const struct start *start)
{
  int file = memfd_create("script", MFD_CLOEXEC);
  if (file < 0)
    file = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0)
    return -1;
  bool owned = !start->account.given || start->account.uid == geteuid() ||
               fchown(file, start->account.uid, start->account.gid) == 0;
  if (fchmod(file, 0600) == 0 && owned && write_all(file, start->script, start->script_length))
    return file;
  close_all(&file, 1);
  return -1;
}

static bool hold_output(struct process *process, const struct keeping *keeping, enum stream_number number, int *fd)
{
  struct stream_open terms = {
      .outputs = process->table->outputs,
      .process = process,
      .files = &process->files,
      .events = &process_stream_events,
      .number = number,
      .fd = *fd,
      .cap = keeping->cap,
      .segment_bytes = keeping->segment_bytes,
  };
  bool held = stream_open(&process->streams[process->stream_count++], &terms);
  *fd = -1;
  return held;
}

bool hold_ends(struct process *process, const struct keeping *keeping, struct own_ends *own)
{
  bool held = hold_output(process, keeping, keeping->terminal ? PTY_STREAM : STDOUT_STREAM, &own->out);
  if (held && !keeping->terminal)
    held = hold_output(process, keeping, STDERR_STREAM, &own->err);
  if (held && own->in >= 0) {
    held =
        input_open(&process->input, &process->table->inputs, process->table->loop, own->in, process, process_changed);
    own->in = -1;
  }
  process->open_streams = process->stream_count;
  int all[] = {own->in, own->out, own->err};
  close_all(all, 3);
  *own = (struct own_ends){-1, -1, -1};
  return held;
}

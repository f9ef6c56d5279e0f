#include "tree/entry.h"

#include <string.h>
#include <unistd.h>

#include "tree/xattrs.h"

/* Of the flags of an entry: its extended attributes are too large or cannot be read. */
#define WITHOUT_XATTRS 1

static char kind_of(mode_t mode)
{
  switch (mode & S_IFMT) {
  case S_IFREG:
    return 'f';
  case S_IFDIR:
    return 'd';
  case S_IFLNK:
    return 'l';
  case S_IFIFO:
    return 'p';
  case S_IFBLK:
    return 'b';
  case S_IFCHR:
    return 'c';
  default:
    return 's';
  }
}

static void put_target(struct writer *out, const char *path, bool is_link)
{
  put_u32(out, 0);
  if (!is_link)
    return;
  ssize_t length = readlink(path, (char *)out->bytes + out->length, PATH_MAX);
  if (length < 0)
    return;
  out->length -= 4;
  put_u32(out, (uint32_t)length);
  out->length += (size_t)length;
}

void put_entry(struct writer *out, const char *name, const struct stat *stats, int file)
{
  char kind = kind_of(stats->st_mode);
  /* What changes by itself in a directory is left out, so that equal directories have equal bytes. */
  bool is_directory = kind == 'd';
  bool is_device = kind == 'b' || kind == 'c';
  size_t flags = out->length + 1;
  put_u8(out, (uint8_t)kind);
  put_u8(out, 0);
  put_string(out, name);
  put_u32(out, stats->st_mode & 07777);
  put_u32(out, stats->st_uid);
  put_u32(out, stats->st_gid);
  put_u64(out, is_directory ? 0 : (uint64_t)stats->st_size);
  put_u64(out, (uint64_t)nanoseconds(stats->st_mtim));
  put_u64(out, is_directory ? 0 : (uint64_t)nanoseconds(stats->st_ctim));
  put_u64(out, stats->st_dev);
  put_u64(out, stats->st_ino);
  put_u32(out, is_directory ? 0 : (uint32_t)stats->st_nlink);
  put_u64(out, is_device ? stats->st_rdev : 0);
  put_target(out, name, kind == 'l');
  if (kind == 'l')
    put_u32(out, 0);
  else if (!put_xattrs(out, name, file))
    out->bytes[flags] |= WITHOUT_XATTRS;
}

#include "tree/change.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "tree/xattrs.h"

struct attributes take_attributes(struct reader *reader)
{
  struct attributes attributes = {0};
  attributes.mode = take_u32(reader) & 07777;
  attributes.uid = take_u32(reader);
  attributes.gid = take_u32(reader);
  attributes.mtime = (int64_t)take_u64(reader);
  attributes.xattrs = take_bytes(reader, &attributes.xattrs_length);
  return attributes;
}

struct expected take_expected(struct reader *reader)
{
  struct expected expected = {0};
  expected.given = take_flag(reader);
  expected.exists = take_flag(reader);
  expected.device = take_u64(reader);
  expected.inode = take_u64(reader);
  expected.ctime = (int64_t)take_u64(reader);
  return expected;
}

int check_expected(const struct tree *tree, int parent, const char *name, const struct expected *expected)
{
  struct stat stats;
  bool exists = fstatat(parent, name, &stats, AT_SYMLINK_NOFOLLOW) == 0;
  if (!exists && errno != ENOENT)
    return errno;
  if (exists && is_withheld(tree, &stats))
    return EACCES;
  if (!expected->given)
    return 0;
  if (exists != expected->exists)
    return EBUSY;
  if (!exists)
    return 0;
  bool is_same = stats.st_dev == expected->device && stats.st_ino == expected->inode &&
    (S_ISDIR(stats.st_mode) || nanoseconds(stats.st_ctim) == expected->ctime);
  return is_same ? 0 : EBUSY;
}

static struct timespec timespec_of(int64_t time)
{
  struct timespec spec = {.tv_sec = time / 1000000000, .tv_nsec = time % 1000000000};
  if (spec.tv_nsec < 0) {
    spec.tv_sec -= 1;
    spec.tv_nsec += 1000000000;
  }
  return spec;
}

int set_attributes(int descriptor, const struct attributes *attributes)
{
  struct stat stats;
  if (fstat(descriptor, &stats) < 0)
    return errno;
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  bool has_owner = stats.st_uid == attributes->uid && stats.st_gid == attributes->gid;
  if (!has_owner && fchownat(descriptor, "", attributes->uid, attributes->gid, AT_EMPTY_PATH) < 0)
    return errno;
  int error = set_xattrs(path, attributes->xattrs, attributes->xattrs_length);
  if (error != 0)
    return error;
  /* After the owner and the ACL, which change it. */
  if (fstat(descriptor, &stats) < 0)
    return errno;
  if ((stats.st_mode & 07777) != attributes->mode && chmod(path, attributes->mode) < 0)
    return errno;
  const struct timespec times[] = {{.tv_nsec = UTIME_OMIT}, timespec_of(attributes->mtime)};
  bool has_time = nanoseconds(stats.st_mtim) == attributes->mtime;
  return !has_time && utimensat(AT_FDCWD, path, times, 0) < 0 ? errno : 0;
}

int set_link_attributes(int parent, const char *name, const struct attributes *attributes)
{
  struct stat stats;
  if (fstatat(parent, name, &stats, AT_SYMLINK_NOFOLLOW) < 0)
    return errno;
  bool has_owner = stats.st_uid == attributes->uid && stats.st_gid == attributes->gid;
  if (!has_owner && fchownat(parent, name, attributes->uid, attributes->gid, AT_SYMLINK_NOFOLLOW) < 0)
    return errno;
  const struct timespec times[] = {{.tv_nsec = UTIME_OMIT}, timespec_of(attributes->mtime)};
  return utimensat(parent, name, times, AT_SYMLINK_NOFOLLOW) < 0 ? errno : 0;
}

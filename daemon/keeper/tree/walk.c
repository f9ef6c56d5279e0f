#include "tree/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "tree/beneath.h"
#include "tree/entry.h"
#include "tree/exclude.h"
#include "tree/names.h"
#include "tree/output.h"

/* A frame with more bytes is continued by another one of the same directory. */
#define PART_BYTES (1024u * 1024)
/* Parts are sent when they have that many bytes, so that their reader works while the walk goes on. */
#define SENT_BYTES (128u * 1024)

struct walk {
  struct tree *tree;
  char *const *patterns;
  uint32_t pattern_count;
  struct names left;
  uint64_t entries;
  /* Entries that are withheld, and those with a path of more than PATH_MAX - 1 bytes. */
  uint64_t withheld;
  uint64_t too_long;
};

/* File systems of the kernel, which hold no files of anyone (linux/magic.h). */
static bool is_pseudo(int directory)
{
  static const uint32_t magics[] = {
    0x9fa0, 0x62656572, 0x63677270, 0x27e0eb, 0x1cd1, 0x64626720, 0x74726163, 0x73636673, 0xcafe4a11, 0x6165676c,
    0xde5e81e4, 0x19800202, 0x958458f6, 0x62656570, 0x65735543, 0x42494e4d, 0x6e736673, 0xf97cff8c, 0x67596969,
  };
  struct statfs system;
  if (fstatfs(directory, &system) < 0)
    return false;
  for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
    if ((uint32_t)system.f_type == magics[i])
      return true;
  return false;
}

static bool is_excluded(const struct walk *walk, const char *path)
{
  for (uint32_t i = 0; i < walk->pattern_count; i++)
    if (matches_pattern(walk->patterns[i], path))
      return true;
  return false;
}

/* The names in an open directory, sorted; an errno. Closes the descriptor. */
static int read_names(int directory, struct names *names)
{
  DIR *stream = fdopendir(directory);
  if (stream == NULL) {
    int error = errno;
    close(directory);
    return error;
  }
  int error = 0;
  for (;;) {
    errno = 0;
    const struct dirent *found = readdir(stream);
    if (found == NULL) {
      error = errno;
      break;
    }
    if (strcmp(found->d_name, ".") == 0 || strcmp(found->d_name, "..") == 0)
      continue;
    if (!add_name(names, found->d_name)) {
      error = ENOMEM;
      break;
    }
  }
  closedir(stream);
  sort_names(names);
  return error;
}

static void begin_part(struct walk *walk, const char *path, int error, int64_t now)
{
  make_room(walk->tree, PATH_MAX + ENTRY_ROOM);
  begin_frame(&walk->tree->batch.out, TREE_DIRECTORY);
  put_u32(&walk->tree->batch.out, (uint32_t)error);
  put_u64(&walk->tree->batch.out, (uint64_t)now);
  put_string(&walk->tree->batch.out, path);
}

/* The path of a name in a directory; false if it is too long. */
static bool join_path(char *joined, const char *directory, const char *name)
{
  size_t length = strlen(directory);
  size_t name_length = strlen(name);
  if (length + 1 + name_length >= PATH_MAX)
    return false;
  memcpy(joined, directory, length);
  if (length > 0)
    joined[length++] = '/';
  memcpy(joined + length, name, name_length + 1);
  return true;
}

static void put_one(struct walk *walk, const char *directory, const char *name, struct names *below)
{
  struct tree *tree = walk->tree;
  char path[PATH_MAX];
  struct stat stats;
  if (!join_path(path, directory, name)) {
    walk->too_long++;
    return;
  }
  /* Left by an earlier change of the tree that was killed. */
  if (tree->temp_name[0] != '\0' && strcmp(name, tree->temp_name) == 0) {
    unlink(name);
    return;
  }
  if (is_excluded(walk, path) || fstatat(AT_FDCWD, name, &stats, AT_SYMLINK_NOFOLLOW) < 0)
    return;
  if (is_withheld(tree, &stats)) {
    walk->withheld++;
    return;
  }
  if (++walk->entries > tree->max_entries)
    fail(tree, "entries", EFBIG);
  put_entry(&tree->batch.out, name, &stats, -1);
  if (S_ISDIR(stats.st_mode) && !add_name(below, name))
    fail(tree, "memory", ENOMEM);
}

static int enter(struct walk *walk, const char *path, struct names *names)
{
  int directory = open_beneath(walk->tree, path, O_RDONLY | O_DIRECTORY);
  if (directory < 0)
    return errno;
  int error = is_pseudo(directory) ? EXDEV : 0;
  if (error == 0 && fchdir(directory) < 0)
    error = errno;
  if (error != 0) {
    close(directory);
    return error;
  }
  return read_names(directory, names);
}

static void list(struct walk *walk, const char *path)
{
  struct names names = {0};
  struct names below = {0};
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  int error = enter(walk, path, &names);
  struct writer *out = &walk->tree->batch.out;
  begin_part(walk, path, error, nanoseconds(now));
  struct stat own;
  if (path[0] == '\0' && error == 0 && fstat(walk->tree->root, &own) == 0)
    put_entry(out, "", &own, walk->tree->root);
  for (size_t i = 0; error == 0 && i < names.count; i++) {
    if (out->length - out->frame > PART_BYTES || !has_room(out, ENTRY_ROOM)) {
      end_frame(out);
      begin_part(walk, path, 0, nanoseconds(now));
    }
    put_one(walk, path, name_at(&names, i), &below);
  }
  end_frame(out);
  for (size_t i = below.count; i > 0; i--) {
    char joined[PATH_MAX];
    if (join_path(joined, path, name_at(&below, i - 1)) && !add_name(&walk->left, joined))
      fail(walk->tree, "memory", ENOMEM);
  }
  clear_names(&names);
  clear_names(&below);
  if (out->length >= SENT_BYTES)
    send_answers(walk->tree);
}

void walk(struct tree *tree, uint32_t request, char *const *patterns, uint32_t pattern_count)
{
  struct walk walk = {.tree = tree, .patterns = patterns, .pattern_count = pattern_count};
  if (!add_name(&walk.left, ""))
    fail(tree, "memory", ENOMEM);
  while (walk.left.count > 0) {
    char path[PATH_MAX];
    take_last(&walk.left, path);
    list(&walk, path);
  }
  clear_names(&walk.left);
  make_room(tree, FRAME_ROOM);
  begin_frame(&tree->batch.out, TREE_WALKED);
  put_u32(&tree->batch.out, request);
  put_u64(&tree->batch.out, walk.entries);
  put_u64(&tree->batch.out, walk.withheld);
  put_u64(&tree->batch.out, walk.too_long);
  end_frame(&tree->batch.out);
}

#include "tree/read.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "tree/beneath.h"
#include "tree/entry.h"
#include "tree/output.h"

/* A file that is changed while it is read is read again that often. */
#define ATTEMPTS 3
/* A file with more extents is stored with its zeros. */
#define MAX_EXTENTS 4096
/* Flags of CONTENT. */
#define CHANGED 1

struct extent {
  uint64_t offset;
  uint64_t length;
};

struct content {
  uint64_t start;
  uint32_t count;
  struct extent extents[MAX_EXTENTS];
};

static bool same(const struct stat *a, const struct stat *b)
{
  return a->st_size == b->st_size && nanoseconds(a->st_mtim) == nanoseconds(b->st_mtim) &&
    nanoseconds(a->st_ctim) == nanoseconds(b->st_ctim);
}

/* The parts of a sparse file that are not holes. */
static void find_extents(int file, const struct stat *stats, struct content *content)
{
  uint64_t size = (uint64_t)stats->st_size;
  content->count = 1;
  content->extents[0] = (struct extent){.offset = 0, .length = size};
  if ((uint64_t)stats->st_blocks * 512 >= size)
    return;
  uint32_t count = 0;
  for (off_t at = 0; (uint64_t)at < size;) {
    off_t data = lseek(file, at, SEEK_DATA);
    if (data < 0 && errno == ENXIO)
      break;
    off_t hole = data < 0 ? -1 : lseek(file, data, SEEK_HOLE);
    if (hole <= data || count == MAX_EXTENTS)
      return;
    uint64_t end = (uint64_t)hole < size ? (uint64_t)hole : size;
    if ((uint64_t)data < end)
      content->extents[count++] = (struct extent){.offset = (uint64_t)data, .length = end - (uint64_t)data};
    at = hole;
  }
  content->count = count;
}

/* Adds bytes at the end of the batch to the piece that is being read. */
static void add_to_piece(struct tree *tree, size_t length)
{
  struct batch *batch = &tree->batch;
  struct part *last = batch->part_count > 0 ? &batch->parts[batch->part_count - 1] : NULL;
  if (last == NULL || last->ends) {
    last = &batch->parts[batch->part_count++];
    *last = (struct part){
      .start = tree->stored - tree->piece_length,
      .at = (uint32_t)batch->data_length,
      .begins = tree->piece_length == 0,
    };
  }
  last->length += (uint32_t)length;
  batch->data_length += length;
  tree->stored += length;
  tree->piece_length += (uint32_t)length;
  last->ends = tree->piece_length == PIECE_BYTES;
  if (last->ends)
    tree->piece_length = 0;
}

/* Ends the piece that is being read. */
static void end_piece(struct tree *tree)
{
  if (tree->piece_length == 0)
    return;
  add_to_piece(tree, 0);
  tree->batch.parts[tree->batch.part_count - 1].ends = true;
  tree->piece_length = 0;
}

static size_t room_of(const struct tree *tree)
{
  size_t room = DATA_BYTES - tree->batch.data_length;
  size_t of_piece = PIECE_BYTES - tree->piece_length;
  return room < of_piece ? room : of_piece;
}

/* Bytes that are appended; less than the length at the end of the file. -1 with errno. */
static int64_t copy(struct tree *tree, int file, const struct extent *extent)
{
  uint64_t done = 0;
  while (done < extent->length) {
    if (tree->batch.data_length == DATA_BYTES || tree->batch.part_count >= MAX_PARTS - 1)
      send_answers(tree);
    uint64_t wanted = extent->length - done;
    size_t room = room_of(tree);
    ssize_t count = pread(file, tree->batch.data + tree->batch.data_length, wanted < room ? (size_t)wanted : room,
                          (off_t)(extent->offset + done));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return -1;
    if (count == 0)
      break;
    add_to_piece(tree, (size_t)count);
    done += (uint64_t)count;
    if (tree->stored > tree->max_stored)
      fail(tree, "stored", EFBIG);
  }
  return (int64_t)done;
}

/* 0, or an errno; `*changed` if the file is not the one of the beginning any more. */
static int copy_once(struct tree *tree, int file, struct stat *stats, struct content *content, bool *changed)
{
  if (fstat(file, stats) < 0)
    return errno;
  if (!S_ISREG(stats->st_mode))
    return EINVAL;
  if (is_withheld(tree, stats))
    return EACCES;
  find_extents(file, stats, content);
  content->start = tree->stored;
  *changed = false;
  for (uint32_t i = 0; i < content->count; i++) {
    int64_t copied = copy(tree, file, &content->extents[i]);
    if (copied < 0)
      return errno;
    if ((uint64_t)copied < content->extents[i].length) {
      content->extents[i].length = (uint64_t)copied;
      *changed = true;
    }
  }
  struct stat after;
  if (fstat(file, &after) < 0)
    return errno;
  *changed = *changed || !same(stats, &after);
  return 0;
}

static void put_content(struct tree *tree, uint32_t request, const struct content *content, bool changed)
{
  put_u32(&tree->batch.out, request);
  put_u32(&tree->batch.out, 0);
  put_u8(&tree->batch.out, changed ? CHANGED : 0);
  put_u64(&tree->batch.out, content->start);
  put_u64(&tree->batch.out, tree->stored - content->start);
  put_u32(&tree->batch.out, content->count);
  for (uint32_t i = 0; i < content->count; i++) {
    put_u64(&tree->batch.out, content->extents[i].offset);
    put_u64(&tree->batch.out, content->extents[i].length);
  }
}

static int read_open(struct tree *tree, uint32_t request, const char *path, int file)
{
  struct content content;
  content.count = 0;
  content.start = tree->stored;
  struct stat stats;
  bool changed = true;
  int error = 0;
  for (int attempt = 0; error == 0 && changed && attempt < ATTEMPTS; attempt++) {
    error = copy_once(tree, file, &stats, &content, &changed);
    end_piece(tree);
  }
  if (error != 0)
    return error;
  const char *slash = strrchr(path, '/');
  make_room(tree, ENTRY_ROOM);
  begin_frame(&tree->batch.out, TREE_CONTENT);
  put_content(tree, request, &content, changed);
  put_entry(&tree->batch.out, slash == NULL ? path : slash + 1, &stats, file);
  end_frame(&tree->batch.out);
  return 0;
}

void read_content(struct tree *tree, uint32_t request, const char *path)
{
  /* Without O_NONBLOCK a FIFO that took the name, or a lease, would hold the open. */
  const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY;
  int file = open_beneath(tree, path, flags | O_NOATIME);
  if (file < 0 && errno == EPERM)
    file = open_beneath(tree, path, flags);
  int error = file < 0 ? errno : read_open(tree, request, path, file);
  if (file >= 0)
    close(file);
  if (error == 0)
    return;
  make_room(tree, FRAME_ROOM);
  begin_frame(&tree->batch.out, TREE_CONTENT);
  put_u32(&tree->batch.out, request);
  put_u32(&tree->batch.out, (uint32_t)error);
  end_frame(&tree->batch.out);
}

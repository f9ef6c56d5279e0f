#include "streams/output-file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of the order: entries of a file, and files that are kept. */
#define FILE_ENTRIES 65536u
#define FILES 32u
#define ENTRY_BYTES 8
#define ORDER "order"

static void path_of(char path[PATH_MAX], const struct output_files *files, const char *kind, uint64_t number)
{
  snprintf(path, PATH_MAX, "%s/%s.%s.%" PRIu64, files->directory, files->id, kind, number);
}

int output_file_open(const struct output_files *files, const char *kind, uint64_t number, int flags)
{
  char path[PATH_MAX];
  path_of(path, files, kind, number);
  int file = open(path, O_WRONLY | O_CLOEXEC | flags, 0600);
  /* A cleaner of temporary directories may have removed it. */
  if (file < 0 && errno == ENOENT && flags & O_CREAT && mkdir(files->directory, 0700) == 0)
    file = open(path, O_WRONLY | O_CLOEXEC | flags, 0600);
  return file;
}

void output_file_discard(const struct output_files *files, const char *kind, uint64_t number)
{
  char path[PATH_MAX];
  path_of(path, files, kind, number);
  unlink(path);
}

struct order order_of(const struct output_files *files)
{
  return (struct order){.files = files, .file = -1, .speaking = -1};
}

void order_close(struct order *order)
{
  if (order->file >= 0)
    close(order->file);
  order->file = -1;
}

static bool write_entry(struct order *order, uint64_t entry)
{
  uint64_t index = order->count % FILE_ENTRIES;
  if (index == 0)
    order_close(order);
  if (order->file < 0)
    order->file =
        output_file_open(order->files, ORDER, order->count / FILE_ENTRIES, index == 0 ? O_CREAT | O_TRUNC : 0);
  if (order->file < 0)
    return false;
  uint8_t bytes[ENTRY_BYTES];
  for (int i = 0; i < ENTRY_BYTES; i++)
    bytes[i] = (uint8_t)(entry >> (8 * i));
  /* At its own position, so that the next entry overwrites one that a full disk cut short. */
  return pwrite(order->file, bytes, ENTRY_BYTES, (off_t)(index * ENTRY_BYTES)) == ENTRY_BYTES;
}

/* An entry that the disk refuses is lost: the order becomes a guess, the bytes stay exact. */
bool order_note(struct order *order, int speaks, const uint64_t ends[2])
{
  int before = order->speaking;
  order->speaking = speaks;
  if (before < 0 || before == speaks)
    return false;
  uint64_t file = order->count / FILE_ENTRIES;
  bool opens = order->count % FILE_ENTRIES == 0;
  /* Bit 63 is stderr. */
  uint64_t entry = ends[before] | (before == 1 ? UINT64_C(1) << 63 : 0);
  if (!write_entry(order, entry)) {
    order_close(order);
    if (opens)
      output_file_discard(order->files, ORDER, file);
    return false;
  }
  order->count++;
  if (opens && file >= FILES)
    output_file_discard(order->files, ORDER, file - FILES);
  return true;
}

void order_discard(struct order *order)
{
  order_close(order);
  if (order->count == 0)
    return;
  uint64_t last = (order->count - 1) / FILE_ENTRIES;
  uint64_t first = last >= FILES ? last - FILES + 1 : 0;
  for (uint64_t file = first; file <= last; file++)
    output_file_discard(order->files, ORDER, file);
}

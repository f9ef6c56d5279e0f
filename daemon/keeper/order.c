#include "order.h"

#include <fcntl.h>
#include <unistd.h>

#include "output-file.h"

#define FILE_ENTRIES 65536u
#define FILES 32u
#define ENTRY_BYTES 8
#define KIND "order"

void order_close(struct order *order)
{
  if (order->file >= 0)
    close(order->file);
  order->file = -1;
}

static bool write_entry(struct order *order, const char *id, uint64_t entry)
{
  uint64_t index = order->count % FILE_ENTRIES;
  if (index == 0)
    order_close(order);
  if (order->file < 0)
    order->file = output_file_open(id, KIND, order->count / FILE_ENTRIES, index == 0 ? O_CREAT | O_TRUNC : 0);
  if (order->file < 0)
    return false;
  uint8_t bytes[ENTRY_BYTES];
  for (int i = 0; i < ENTRY_BYTES; i++)
    bytes[i] = (uint8_t)(entry >> (8 * i));
  /* At its own position, so that the next entry overwrites one that a full disk cut short. */
  return pwrite(order->file, bytes, ENTRY_BYTES, (off_t)(index * ENTRY_BYTES)) == ENTRY_BYTES;
}

/* An entry that the disk refuses is lost: the order becomes a guess, the bytes stay exact. */
bool order_note(struct order *order, const char *id, int speaks, const uint64_t ends[2])
{
  int before = order->speaking;
  order->speaking = speaks;
  if (before < 0 || before == speaks)
    return false;
  uint64_t file = order->count / FILE_ENTRIES;
  bool opens = order->count % FILE_ENTRIES == 0;
  /* Bit 63 is stderr. */
  uint64_t entry = ends[before] | (before == 1 ? UINT64_C(1) << 63 : 0);
  if (!write_entry(order, id, entry)) {
    order_close(order);
    if (opens)
      output_file_discard(id, KIND, file);
    return false;
  }
  order->count++;
  if (opens && file >= FILES)
    output_file_discard(id, KIND, file - FILES);
  return true;
}

void order_discard(struct order *order, const char *id)
{
  order_close(order);
  if (order->count == 0)
    return;
  uint64_t last = (order->count - 1) / FILE_ENTRIES;
  uint64_t first = last >= FILES ? last - FILES + 1 : 0;
  for (uint64_t file = first; file <= last; file++)
    output_file_discard(id, KIND, file);
}

#include "base/frame.h"

#include <stdlib.h>
#include <string.h>

#define MAX_GROUPS 65536u

static const uint8_t *take(struct reader *reader, size_t count)
{
  static const uint8_t zeros[8];
  if (reader->bad || reader->left < count) {
    reader->bad = true;
    return zeros;
  }
  const uint8_t *at = reader->at;
  reader->at += count;
  reader->left -= count;
  return at;
}

uint32_t read_u32(const uint8_t *at)
{
  return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

uint8_t take_u8(struct reader *reader)
{
  return *take(reader, 1);
}

uint16_t take_u16(struct reader *reader)
{
  const uint8_t *at = take(reader, 2);
  return (uint16_t)(at[0] | at[1] << 8);
}

uint32_t take_u32(struct reader *reader)
{
  return read_u32(take(reader, 4));
}

uint64_t take_u64(struct reader *reader)
{
  const uint8_t *at = take(reader, 8);
  return (uint64_t)read_u32(at) | (uint64_t)read_u32(at + 4) << 32;
}

bool take_flag(struct reader *reader)
{
  uint8_t value = take_u8(reader);
  if (value > 1)
    reader->bad = true;
  return value == 1;
}

uint8_t *take_bytes(struct reader *reader, uint32_t *length)
{
  *length = take_u32(reader);
  uint8_t *at = reader->at;
  take(reader, *length);
  if (reader->bad)
    *length = 0;
  return at;
}

char *take_string(struct reader *reader)
{
  static char empty[1];
  uint32_t length;
  uint8_t *bytes = take_bytes(reader, &length);
  if (reader->bad || memchr(bytes, 0, length) != NULL) {
    reader->bad = true;
    empty[0] = '\0';
    return empty;
  }
  uint8_t *text = bytes - 1;
  memmove(text, bytes, length);
  text[length] = '\0';
  return (char *)text;
}

static bool is_id_byte(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
}

static bool is_id(const char *text)
{
  if (text[0] == '_' || text[0] == '.' || text[0] == '-')
    return false;
  size_t length = 0;
  for (; text[length] != '\0'; length++)
    if (length == MAX_ID || !is_id_byte(text[length]))
      return false;
  return length > 0;
}

char *take_id(struct reader *reader)
{
  char *id = take_string(reader);
  if (!is_id(id))
    reader->bad = true;
  return id;
}

bool finished(const struct reader *reader)
{
  return !reader->bad && reader->left == 0;
}

struct account take_account(struct reader *reader)
{
  struct account account = {0};
  account.given = take_flag(reader);
  if (!account.given)
    return account;
  account.uid = take_u32(reader);
  account.gid = take_u32(reader);
  account.count = take_u32(reader);
  if (account.count > MAX_GROUPS || reader->left / 4 < account.count || account.uid == (uid_t)-1 ||
      account.gid == (gid_t)-1)
    reader->bad = true;
  if (!reader->bad && account.count > 0) {
    account.groups = malloc(account.count * sizeof *account.groups);
    reader->bad = account.groups == NULL;
  }
  if (reader->bad) {
    account.count = 0;
    return account;
  }
  for (uint32_t i = 0; i < account.count; i++)
    account.groups[i] = take_u32(reader);
  return account;
}

bool has_room(const struct writer *writer, size_t bytes)
{
  return writer->capacity - writer->length >= bytes;
}

bool set_capacity(uint8_t **bytes, size_t *capacity, size_t wanted)
{
  if (*capacity == wanted)
    return true;
  uint8_t *moved = realloc(*bytes, wanted);
  if (moved == NULL)
    return false;
  *bytes = moved;
  *capacity = wanted;
  return true;
}

static void put(struct writer *writer, const void *bytes, size_t count)
{
  memcpy(writer->bytes + writer->length, bytes, count);
  writer->length += count;
}

static void write_u32(uint8_t *at, uint32_t value)
{
  for (int i = 0; i < 4; i++)
    at[i] = (uint8_t)(value >> (8 * i));
}

void begin_frame(struct writer *writer, enum frame_type type)
{
  writer->frame = writer->length;
  put_u32(writer, 0);
  put_u8(writer, (uint8_t)type);
}

void put_u8(struct writer *writer, uint8_t value)
{
  put(writer, &value, 1);
}

void put_u32(struct writer *writer, uint32_t value)
{
  uint8_t bytes[4];
  write_u32(bytes, value);
  put(writer, bytes, sizeof bytes);
}

void put_u64(struct writer *writer, uint64_t value)
{
  put_u32(writer, (uint32_t)value);
  put_u32(writer, (uint32_t)(value >> 32));
}

void put_bytes(struct writer *writer, const uint8_t *bytes, uint32_t length)
{
  put_u32(writer, length);
  if (length > 0)
    put(writer, bytes, length);
}

void put_string(struct writer *writer, const char *text)
{
  put_bytes(writer, (const uint8_t *)text, (uint32_t)strlen(text));
}

void end_frame(struct writer *writer)
{
  write_u32(writer->bytes + writer->frame, (uint32_t)(writer->length - writer->frame - 4));
}

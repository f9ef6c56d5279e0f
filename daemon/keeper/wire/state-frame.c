#include "wire/state-frame.h"

/* More than one HELD frame takes. */
#define HELD_BYTES 128u
/* More than the fields of STATE take apart from segments and record, and than one segment takes. */
#define STATE_BYTES 512u
#define SEGMENT_BYTES 16u

void put_failed(struct writer *writer, const struct process *process)
{
  begin_frame(writer, FAILED);
  put_string(writer, process->id);
  put_u8(writer, (uint8_t)process->failure.stage);
  put_u32(writer, (uint32_t)process->failure.error);
  end_frame(writer);
}

/* The segments that have grown since the last announcement. */
static void put_segments(struct writer *writer, const struct stream *stream)
{
  const struct segments *segments = &stream->segments;
  uint32_t last = segments->count;
  /* An empty one may be removed again. */
  if (last > 0 && segments->items[last - 1].end == segments->items[last - 1].start)
    last--;
  uint32_t next = last;
  while (next > 0 && segments->items[next - 1].end > stream->announced)
    next--;
  put_u32(writer, last - next);
  for (; next < last; next++) {
    put_u64(writer, segments->items[next].start);
    put_u64(writer, segments->items[next].end);
  }
}

static void put_stream(struct writer *writer, struct stream *stream)
{
  put_u8(writer, (uint8_t)stream->number);
  put_u8(writer, stream->source.fd < 0);
  put_u64(writer, stream->segments.first);
  put_u64(writer, stream->end);
  put_segments(writer, stream);
  stream->announced = stream->end;
}

static void put_input(struct writer *writer, struct process *process)
{
  struct input *input = &process->input;
  bool open = input->source.fd >= 0;
  uint64_t limit = input->taken + input_room(input);
  put_u8(writer, open && !input->ends);
  put_u64(writer, input->taken);
  put_u64(writer, limit);
  put_u64(writer, input->sequence);
  put_u64(writer, input->dropped);
  input->asked = false;
  process->announced.limit = limit;
}

static void put_end(struct writer *writer, const struct end *end, const char *program)
{
  put_u8(writer, end->by_signal);
  put_u32(writer, end->value);
  put_u64(writer, end->user_us);
  put_u64(writer, end->system_us);
  put_u64(writer, end->max_rss);
  put_u8(writer, end->oom_killed);
  put_string(writer, program);
  put_u8(writer, end->background);
  put_u64(writer, (uint64_t)end->at);
}

void put_state(struct writer *writer, struct process *process, bool has_record)
{
  begin_frame(writer, STATE);
  put_string(writer, process->id);
  put_u32(writer, (uint32_t)process->pid);
  put_u8(writer, process->phase == RUNNING ? 0 : process->phase == DRAINING ? 1 : 2);
  put_u8(writer, (uint8_t)process->stdin_kind);
  put_input(writer, process);
  put_u8(writer, process->stream_count);
  for (int i = 0; i < process->stream_count; i++)
    put_stream(writer, &process->streams[i]);
  put_u64(writer, process->order.count);
  if (process->phase == ENDED)
    put_end(writer, &process->end, process->oom.program);
  put_string(writer, process->forker);
  put_u8(writer, has_record);
  if (has_record)
    put_bytes(writer, process->record.bytes, process->record.length);
  end_frame(writer);
}

size_t state_bytes(const struct process *process)
{
  size_t bytes = STATE_BYTES + process->record.length;
  for (int i = 0; i < process->stream_count; i++)
    bytes += process->streams[i].segments.count * SEGMENT_BYTES;
  return bytes;
}

bool make_room(struct writer *writer, size_t room)
{
  return has_room(writer, room) || (writer->length == 0 && set_capacity(&writer->bytes, &writer->capacity, room));
}

bool put_held(struct writer *writer, const struct processes *processes)
{
  if (writer->length > 0 || !make_room(writer, (processes->count + 1) * HELD_BYTES))
    return false;
  for (const struct process *process = processes->all; process != NULL; process = process->next) {
    if (process->phase == UNSTARTED || process->phase == RESERVED || process->phase == ENDED)
      continue;
    begin_frame(writer, HELD);
    put_string(writer, process->id);
    put_u32(writer, (uint32_t)process->pid);
    end_frame(writer);
  }
  begin_frame(writer, LISTED);
  end_frame(writer);
  return true;
}

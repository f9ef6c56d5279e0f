import type { OutputSink, StreamName } from '../runtime/output.ts';

/** A sink that leaves out the first characters of each stream, which another reader has given it already. */
export function afterFirst(sink: OutputSink, had: Readonly<Record<StreamName, number>>): OutputSink {
  const left = { ...had };
  return {
    write: (event) => {
      if (event.type !== 'stream') {
        sink.write(event);
        return;
      }
      const text = event.text.slice(left[event.name]);
      left[event.name] -= event.text.length - text.length;
      if (text !== '') sink.write({ ...event, text });
    },
  };
}

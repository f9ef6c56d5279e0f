import type { Had, OutputSink } from './output.ts';

/** A sink that leaves out what another reader has given it already: the first of each stream and of all else. */
export function afterFirst(sink: OutputSink, had: Had): OutputSink {
  const left = { ...had };
  return {
    write: (event) => {
      if (event.type === 'input_request') {
        sink.write(event);
        return;
      }
      if (event.type !== 'stream') {
        left.others -= 1;
        if (left.others < 0) sink.write(event);
        return;
      }
      const text = event.text.slice(left[event.name]);
      left[event.name] -= event.text.length - text.length;
      if (text !== '') sink.write({ ...event, text });
    },
  };
}

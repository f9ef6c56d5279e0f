/** An output of a cell, as v1 and v2 have it. */
export interface Output {
  readonly output_type: string;
  readonly text?: string | null;
  readonly ename?: string | null;
  readonly traceback?: readonly string[] | null;
  readonly data?: Readonly<Record<string, string>> | null;
}

/** Reads an execution as a stream to its end, or until its text has `until`; resolves with the text of each output. */
export async function follow(address: string, key: string, until?: string): Promise<string[]> {
  const stop = new AbortController();
  const headers = { 'x-api-key': key, accept: 'application/x-ndjson' };
  const { body } = await fetch(address, { headers, signal: stop.signal });
  const texts: string[] = [];
  let rest = '';
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const { output } = JSON.parse(line) as { output?: Output };
      if (output) texts.push(output.text ?? output.ename ?? '');
    }
    if (until !== undefined && texts.join('').includes(until)) break;
  }
  stop.abort();
  return texts;
}

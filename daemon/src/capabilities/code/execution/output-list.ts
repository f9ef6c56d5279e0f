import type { Output, OutputEvent, StreamName } from '../runtime/output.ts';

/** The outputs of a cell as a notebook has them: neighbouring pieces of one stream are one output. */
export class OutputList {
  #outputs: (Output | { readonly type: 'pieces'; readonly name: StreamName; readonly pieces: string[] })[] = [];
  #clearsAtNext = false;

  add(event: OutputEvent): void {
    if (event.type === 'input_request') return;
    if (event.type === 'clear_output') {
      if (event.wait) this.#clearsAtNext = true;
      else this.#clear();
      return;
    }
    if (this.#clearsAtNext) this.#clear();
    if (event.type === 'update_display_data') {
      this.#update(event);
      return;
    }
    if (event.type !== 'stream') {
      this.#outputs.push(event);
      return;
    }
    const last = this.#outputs.at(-1);
    if (last?.type === 'pieces' && last.name === event.name) last.pieces.push(event.text);
    else this.#outputs.push({ type: 'pieces', name: event.name, pieces: [event.text] });
  }

  outputs(): Output[] {
    return this.#outputs.map((output) =>
      output.type === 'pieces' ? { type: 'stream', name: output.name, text: output.pieces.join('') } : output,
    );
  }

  #clear(): void {
    this.#outputs = [];
    this.#clearsAtNext = false;
  }

  #update({ displayId, data, metadata }: Extract<OutputEvent, { type: 'update_display_data' }>): void {
    this.#outputs = this.#outputs.map((output) =>
      output.type === 'display_data' && output.displayId === displayId ? { ...output, data, metadata } : output,
    );
  }
}

/** The text of one stream among outputs. */
export function streamText(outputs: readonly Output[], name: StreamName): string {
  return outputs.map((output) => (output.type === 'stream' && output.name === name ? output.text : '')).join('');
}

import type { ByteName } from '../../../core/files/byte-name.ts';
import { MatchCollector } from '../match-collector.ts';
import type { GrepMatch, GrepRequest } from '../requests.ts';
import { FileMatches } from './file-matches.ts';
import { type Place, pathIn, picker } from './ripgrep.ts';
import { type Message, nameOfText } from './ripgrep-messages.ts';

/** What one run of ripgrep found. */
export interface Pass {
  /** By name relative to the place, in the order in which ripgrep came to them. */
  readonly byFile: readonly { readonly name: ByteName; readonly matches: readonly GrepMatch[] }[];
  readonly collector: MatchCollector;
  /** It was ended before it had seen everything. */
  readonly cut: boolean;
  /** Undefined where ripgrep did not say. */
  readonly filesSearched: number | undefined;
}

/** Puts the matches of one run together, file by file. */
export class PassReader {
  readonly #request: GrepRequest;
  readonly #place: Place;
  readonly #isLast: boolean;
  readonly #onEnough: () => void;
  readonly #accepts: (name: ByteName) => boolean;
  readonly #collector: MatchCollector;
  readonly #byFile: { name: ByteName; matches: readonly GrepMatch[] }[] = [];
  /** With several threads ripgrep still writes one file after the other. */
  #current: { name: ByteName; matches: FileMatches } | undefined;
  #isFull = false;
  #filesSearched: number | undefined;
  hasSummary = false;

  constructor(
    request: GrepRequest,
    place: Place,
    { isLast, onEnough }: { readonly isLast: boolean; readonly onEnough: () => void },
  ) {
    this.#request = request;
    this.#place = place;
    this.#isLast = isLast;
    this.#onEnough = onEnough;
    this.#accepts = picker(request);
    this.#collector = new MatchCollector(request.offset + request.maxResults);
  }

  get isWhole(): boolean {
    return !this.#isFull;
  }

  /** @returns whether more is wanted */
  take(message: Message): boolean {
    if (message.type === 'begin') this.#begin(nameOfText(message.data.path));
    else if (message.type === 'summary') this.#sum(message.filesSearched);
    else if (message.type === 'oversize') this.#isFull = true;
    else if (message.type === 'end') this.#end(message.data.binary_offset !== null);
    else this.#current?.matches.take(message);
    this.#isFull ||= this.#hasEnough();
    return !this.#isFull;
  }

  result(cut: boolean): Pass {
    if (this.#current) this.#end(false);
    const filesSearched = this.#filesSearched;
    return { byFile: this.#byFile, collector: this.#collector, cut: cut || this.#isFull, filesSearched };
  }

  #sum(filesSearched: number | undefined): void {
    this.hasSummary = true;
    this.#filesSearched = filesSearched;
  }

  #begin(name: ByteName): void {
    if (!this.#accepts(name)) return;
    this.#current = { name, matches: new FileMatches(pathIn(this.#place, name), this.#request) };
  }

  #end(isBinary: boolean): void {
    const current = this.#current;
    this.#current = undefined;
    if (!current || isBinary) return;
    const matches: GrepMatch[] = [];
    for (const match of current.matches.matches()) {
      if (!this.#collector.add(match)) break;
      matches.push(match);
    }
    this.#byFile.push({ name: current.name, matches });
    if (this.#collector.isFull) this.#onEnough();
  }

  #hasEnough(): boolean {
    if (this.#collector.stop !== undefined) return true;
    const wanted = this.#request.offset + this.#request.maxResults;
    const pending = this.#current?.matches;
    const count = this.#collector.matches.length + (pending?.count ?? 0);
    if (count > wanted) return true;
    return this.#isLast && !this.#place.isFile && count === wanted && (pending?.isLastComplete ?? true);
  }
}

import { credentialText } from '../../../core/access/credential-files.ts';
import type { ByteName } from '../../../core/files/byte-name.ts';
import { MatchCollector } from '../match-collector.ts';
import type { GrepMatch, GrepRequest } from '../requests.ts';
import { FileMatches } from './file-matches.ts';
import { type Place, pathIn, picker } from './ripgrep.ts';
import { bytesOfText, type Message, nameOfText } from './ripgrep-messages.ts';

/** Result of one run of ripgrep. */
export interface Pass {
  /** By name relative to the place, in ripgrep's order. */
  readonly byFile: readonly { readonly name: ByteName; readonly matches: readonly GrepMatch[] }[];
  readonly collector: MatchCollector;
  /** Whether it was ended early. */
  readonly cut: boolean;
  /** Undefined where ripgrep did not report it. */
  readonly filesSearched: number | undefined;
}

/** Assembles the matches of one run, file by file. */
export class PassReader {
  readonly #request: GrepRequest;
  readonly #place: Place;
  readonly #isLast: boolean;
  readonly #onEnough: () => void;
  readonly #accepts: (name: ByteName) => boolean;
  /** ripgrep opens files by name, which an account may exchange: what it found in a credential is dropped here. */
  readonly #isCredential = credentialText();
  readonly #collector: MatchCollector;
  readonly #byFile: { name: ByteName; matches: readonly GrepMatch[] }[] = [];
  /** ripgrep writes the messages of one file together, also with several threads. */
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

  /** @returns whether the search continues */
  take(message: Message): boolean {
    if (message.type === 'begin') this.#begin(nameOfText(message.data.path));
    else if (message.type === 'summary') this.#sum(message.filesSearched);
    else if (message.type === 'oversize') this.#isFull = true;
    else if (message.type === 'end') this.#end(message.data.binary_offset !== null);
    else if (!this.#isCredential?.(bytesOfText(message.data.lines).toString('utf8')))
      this.#current?.matches.take(message);
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

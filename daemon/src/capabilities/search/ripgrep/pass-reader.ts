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
  /** Whether a line was left out for its length. */
  readonly hasOversize: boolean;
  /** Undefined if ripgrep did not report it. */
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
  #hasOversize = false;
  #filesSearched: number | undefined;
  hasSummary = false;

  /** @param isLast whether the run is in the order of the answer, so that the matches before the page are not kept */
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
    const skip = isLast ? request.offset : 0;
    this.#collector = new MatchCollector({ skip, wanted: request.offset + request.maxResults - skip });
  }

  get isWhole(): boolean {
    return !this.#isFull;
  }

  /** @returns whether the search continues */
  take(message: Message): boolean {
    if (message.type === 'begin') this.#begin(nameOfText(message.data.path));
    else if (message.type === 'summary') this.#sum(message.filesSearched);
    else if (message.type === 'oversize') this.#leaveOut(message.isLast);
    else if (message.type === 'end') this.#end(message.data.binary_offset !== null);
    else if (!this.#isCredential?.(bytesOfText(message.data.lines).toString('utf8')))
      this.#current?.matches.take(message);
    this.#isFull ||= this.#hasEnough();
    return !this.#isFull;
  }

  result(cut: boolean): Pass {
    if (this.#current) this.#end(false);
    const collector = this.#collector;
    const filesSearched = this.#filesSearched;
    const hasOversize = this.#hasOversize;
    return { byFile: this.#byFile, collector, cut: cut || this.#isFull, hasOversize, filesSearched };
  }

  #leaveOut(isLast: boolean): void {
    this.#hasOversize = true;
    this.#isFull ||= isLast;
  }

  #sum(filesSearched: number | undefined): void {
    this.hasSummary = true;
    this.#filesSearched = filesSearched;
  }

  #begin(name: ByteName): void {
    if (!this.#accepts(name)) return;
    const { before, after } = this.#request;
    const matches = new FileMatches(pathIn(this.#place, name), { before, after, skip: this.#collector.toSkip });
    this.#current = { name, matches };
  }

  #end(isBinary: boolean): void {
    const current = this.#current;
    this.#current = undefined;
    if (!current || isBinary) return;
    const collector = this.#collector;
    const isMore = current.matches.bytes > collector.bytesLeft;
    const first = collector.matches.length;
    collector.pass(current.matches.passed);
    for (const match of current.matches.matches()) if (!collector.add(match)) break;
    this.#byFile.push({ name: current.name, matches: collector.matches.slice(first) });
    if (isMore && this.#isFull) collector.endBySize();
    if (collector.isFull) this.#onEnough();
  }

  #hasEnough(): boolean {
    const collector = this.#collector;
    if (collector.stop !== undefined) return true;
    const pending = this.#current?.matches;
    // Where the file turns out to be no text, nothing of it counts; but what is kept meanwhile has its bound.
    if ((pending?.bytes ?? 0) > collector.bytesLeft) return true;
    const count = pending?.count ?? 0;
    if (count > collector.left) return true;
    return this.#isLast && !this.#place.isFile && count === collector.left && (pending?.isLastComplete ?? true);
  }
}

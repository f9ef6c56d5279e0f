const HEAD = 8;
const SUCCESS = 1;
const FAILED = 0;
/** Bytes of the parts of a setup (X protocol, encoding of "Connection Setup"). */
const FIXED = 40;
const FORMAT = 8;
const SCREEN = 40;
const DEPTH = 8;
const VISUAL = 24;
/** Visuals of all screens: those of a screen with OpenGL are some hundred. */
const VISUALS_MAX = 4_096;
/** The ids of a client are at least so many contiguous bits (X protocol, "Connection Setup"). */
const ID_BITS_MIN = 18;

/** The first answer of an X server, which is held until it is whole: the parser of the package trusts its numbers. */
export class SetupCheck {
  readonly #pieces: Buffer[] = [];
  #length = 0;
  #whole = HEAD;
  #isAnnounced = false;

  /**
   * The setup, when it is whole, and the bytes behind it.
   * @throws Error for one that no sound server sends
   */
  take(bytes: Buffer): { readonly setup: Buffer; readonly rest: Buffer } | undefined {
    this.#pieces.push(bytes);
    this.#length += bytes.length;
    if (this.#length < this.#whole) return undefined;
    if (!this.#isAnnounced) {
      const head = this.#joined();
      if (head[0] !== SUCCESS && head[0] !== FAILED) throw new Error('it does not answer as an X server');
      this.#whole = HEAD + head.readUInt16LE(6) * 4;
      this.#isAnnounced = true;
      if (this.#length < this.#whole) return undefined;
    }
    const all = this.#joined();
    const setup = all.subarray(0, this.#whole);
    if (setup[0] === SUCCESS) checkSetup(setup);
    return { setup, rest: setup[0] === SUCCESS ? all.subarray(this.#whole) : Buffer.alloc(0) };
  }

  #joined(): Buffer {
    const all = Buffer.concat(this.#pieces);
    this.#pieces.splice(0, this.#pieces.length, all);
    return all;
  }
}

function checkSetup(setup: Buffer): void {
  if (setup.length < FIXED) throw invalid('its length');
  const mask = setup.readUInt32LE(16);
  const [screens = 0, formats = 0] = setup.subarray(28, 30);
  const [first = 0, last = 0] = setup.subarray(34, 36);
  if (!isIdMask(mask, setup.readUInt32LE(12))) throw invalid('its ids of resources');
  if (first < HEAD || last < first) throw invalid('its keycodes');
  if (screens === 0) throw invalid('its screens');
  const vendor = Math.ceil(setup.readUInt16LE(24) / 4) * 4;
  const reader = new Reader(setup, FIXED + vendor);
  reader.distinct(formats, () => reader.next(FORMAT)[0] ?? 0);
  for (let screen = 0; screen < screens; screen += 1) {
    const depths = reader.next(SCREEN)[SCREEN - 1] ?? 0;
    for (let depth = 0; depth < depths; depth += 1) {
      const visuals = reader.next(DEPTH).readUInt16LE(2);
      reader.distinct(visuals, () => reader.visual());
    }
  }
  reader.end();
}

/** Contiguous bits that no id of the base has: the package looks for the lowest. */
function isIdMask(mask: number, base: number): boolean {
  const lowest = mask & -mask;
  const width = mask / (lowest >>> 0);
  return mask !== 0 && (width & (width + 1)) === 0 && width >= 2 ** ID_BITS_MIN - 1 && (mask & base) === 0;
}

class Reader {
  readonly #setup: Buffer;
  #at: number;
  #visuals = 0;

  constructor(setup: Buffer, at: number) {
    this.#setup = setup;
    this.#at = at;
  }

  next(length: number): Buffer {
    const at = this.#at;
    this.#at += length;
    if (this.#at > this.#setup.length) throw invalid('its length');
    return this.#setup.subarray(at, this.#at);
  }

  visual(): number {
    this.#visuals += 1;
    if (this.#visuals > VISUALS_MAX) throw invalid(`over ${VISUALS_MAX} visuals`);
    return this.next(VISUAL).readUInt32LE(0);
  }

  /** The package reads on until it has that many different ones. */
  distinct(count: number, read: () => number): void {
    const seen = new Set(Array.from({ length: count }, read));
    if (seen.size !== count) throw invalid('its formats and visuals');
  }

  end(): void {
    if (this.#at !== this.#setup.length) throw invalid('its length');
  }
}

function invalid(what: string): Error {
  return new Error(`its setup is not valid: ${what}`);
}

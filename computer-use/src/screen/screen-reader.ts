import { Slots } from '@sandbox/api/wait.ts';
import type { XExtension } from 'x11';
import type { XSession } from '../x11/x-session.ts';
import { type Area, type Pixels, packPixels } from './pixels.ts';

const Z_PIXMAP = 2;
const ALL_PLANES = 0xff_ff_ff_ff;

interface Segment {
  readonly size: number;
  readonly buffer: Buffer;
  getImage(
    drawable: number,
    x: number,
    y: number,
    width: number,
    height: number,
    planes: number,
    format: number,
    offset: number,
    done: (error: Error | null | undefined, value: { size: number }) => boolean,
  ): void;
  detach(): void;
}

/** Reads pixels of the screen: through shared memory if the display has it, else through the connection. */
export class ScreenReader {
  readonly #session: XSession;
  readonly #shm: XExtension | undefined;
  /** A segment serves one picture at a time. */
  readonly #places = new Slots(1);
  #segment: Segment | undefined;

  constructor(session: XSession) {
    this.#session = session;
    this.#shm = session.extension('shm');
  }

  async read(area: Area): Promise<Pixels> {
    using _place = await this.#places.take(this.#session.ended);
    const bytes = (await this.#shared(area)) ?? (await this.#sent(area));
    return packPixels(bytes, area);
  }

  async #shared({ x, y, width, height }: Area): Promise<Buffer | undefined> {
    const segment = await this.#segmentOf(width * height * 4);
    if (segment === undefined) return undefined;
    const { size } = await this.#session.query<{ size: number }>((done) =>
      segment.getImage(this.#session.root, x, y, width, height, ALL_PLANES, Z_PIXMAP, 0, done),
    );
    return segment.buffer.subarray(0, size);
  }

  async #sent({ x, y, width, height }: Area): Promise<Buffer> {
    const { client, root } = this.#session;
    const { data } = await this.#session.query<{ depth: number; data: Buffer }>(
      (done) => client.GetImage(Z_PIXMAP, root, x, y, width, height, ALL_PLANES, done),
      width * height * 4,
    );
    return data;
  }

  /** A segment of that size at least; undefined if the display takes none. */
  async #segmentOf(size: number): Promise<Segment | undefined> {
    if (this.#shm === undefined) return undefined;
    if (this.#segment !== undefined && this.#segment.size >= size) return this.#segment;
    this.#segment?.detach();
    this.#segment = undefined;
    const shm = this.#shm;
    this.#segment = await this.#session.ask<Segment>((done) => shm['createSegment'](size, done)).catch(() => undefined);
    return this.#segment;
  }
}

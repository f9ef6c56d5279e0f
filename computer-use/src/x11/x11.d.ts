/** The parts of npm `x11` that the worker uses; the package has no types. */
declare module 'x11' {
  import type { EventEmitter } from 'node:events';
  import type { Duplex } from 'node:stream';

  type Done<T> = (error: Error | null | undefined, value: T) => boolean | undefined;

  interface XEvent {
    readonly name?: string;
    readonly [field: string]: unknown;
  }

  interface XClient extends EventEmitter {
    readonly stream: Duplex;
    /** Requests so far. */
    readonly seq_num: number;
    /** The reader of the reply to each request, by its number, and the callback that gets the result. */
    readonly replies: Record<number, [read: (reply: Buffer, data: number) => unknown, ...rest: unknown[]]>;
    /** Called once, with the stream that is connected. */
    init(stream: Duplex): void;
    /** Reads what the server sends. */
    readonly pack_stream: { write(bytes: Buffer): void };
    atoms: Record<string, number>;
    atom_names: Record<number, string>;
    AllocID(): number;
    ReleaseID(id: number): void;
    terminate(): void;
    sync(done: (error: Error | null) => void): void;
    readonly require: (name: string, done: (error: Error | null | undefined, extension: XExtension) => void) => void;
    InternAtom(onlyIfExists: boolean, name: string, done: Done<number>): void;
    GetAtomName(atom: number, done: Done<string>): void;
    GetGeometry(drawable: number, done: Done<XGeometry>): void;
    GetImage(
      format: number,
      drawable: number,
      x: number,
      y: number,
      width: number,
      height: number,
      planeMask: number,
      done: Done<{ depth: number; data: Buffer }>,
    ): void;
    QueryPointer(window: number, done: Done<{ rootX: number; rootY: number; keyMask: number }>): void;
    QueryTree(window: number, done: Done<{ root: number; parent: number; children: number[] }>): void;
    TranslateCoordinates(
      from: number,
      to: number,
      x: number,
      y: number,
      done: Done<{ destX: number; destY: number }>,
    ): void;
    GetProperty(
      remove: number,
      window: number,
      name: number,
      type: number,
      offset: number,
      length: number,
      done: Done<XProperty>,
    ): void;
    ChangeProperty(
      mode: number,
      window: number,
      name: number,
      type: number,
      format: number,
      data: Buffer | string | readonly number[],
      done?: Done<void>,
    ): void;
    DeleteProperty(window: number, name: number): void;
    CreateWindow(
      id: number,
      parent: number,
      x: number,
      y: number,
      width: number,
      height: number,
      border: number,
      depth: number,
      kind: number,
      visual: number,
      values: object,
    ): void;
    ChangeWindowAttributes(window: number, values: object, done?: Done<void>): void;
    ConfigureWindow(window: number, values: object): void;
    MapWindow(window: number): void;
    GetInputFocus(done: Done<{ focus: number; revertTo: number }>): void;
    SetInputFocus(window: number, revertTo: number): void;
    SetSelectionOwner(owner: number, selection: number, time?: number): void;
    GetSelectionOwner(selection: number, done: Done<number>): void;
    ConvertSelection(requestor: number, selection: number, target: number, property: number, time?: number): void;
    SendEvent(destination: number, propagate: number, eventMask: number, event: object, done?: Done<void>): void;
    SendClientMessage(
      destination: number,
      window: number,
      type: number,
      format: number,
      data: readonly number[],
      eventMask?: number,
    ): void;
    GetKeyboardMapping(first: number, count: number, done: Done<number[][]>): void;
    GetModifierMapping(done: Done<number[][]>): void;
    QueryKeymap(done: Done<Buffer>): void;
    on(event: 'event', listener: (event: XEvent) => void): this;
    on(event: 'error' | 'end', listener: (error: Error) => void): this;
    once(event: 'error' | 'end', listener: (error: Error) => void): this;
  }

  interface XGeometry {
    readonly xPos: number;
    readonly yPos: number;
    readonly width: number;
    readonly height: number;
    readonly depth: number;
  }

  interface XProperty {
    readonly type: number;
    readonly format: number;
    readonly bytesAfter: number;
    readonly data: Buffer;
  }

  /** Requests of extensions, by the names of their pages in the package's documentation. */
  interface XExtension {
    // biome-ignore lint/suspicious/noExplicitAny: each extension has its own requests
    readonly [request: string]: any;
  }

  interface XScreen {
    readonly root: number;
    readonly pixel_width: number;
    readonly pixel_height: number;
    readonly root_depth: number;
    readonly root_visual: number;
  }

  interface XDisplay {
    readonly client: XClient;
    readonly screen: readonly XScreen[];
    readonly min_keycode: number;
    readonly max_keycode: number;
    readonly resource_mask: number;
    readonly image_byte_order: number;
  }

  interface Options {
    readonly display?: string;
    readonly bufferRequests?: boolean;
  }

  export function createClient(
    options: Options,
    done: (error: Error | null | undefined, display: XDisplay) => void,
  ): XClient;
  export type { XClient, XDisplay, XEvent, XExtension, XGeometry, XProperty, XScreen };
}

declare module 'x11/lib/keysyms.js' {
  /** Names of key symbols with the prefix `XK_`; a description begins with the character in parentheses. */
  const keySyms: Readonly<Record<string, { readonly code: number; readonly description: string | null }>>;
  export = keySyms;
}

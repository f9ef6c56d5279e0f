import type { ProcessEnd } from '../../process-host.ts';
import { signalName } from '../../signals.ts';
import { type FrameReader, STDIN_KIND } from '../keeper-frames.ts';

/** A segment file that has grown since the last STATE. */
export interface SegmentState {
  readonly start: number;
  readonly end: number;
}

export interface StreamState {
  readonly isStderr: boolean;
  readonly eof: boolean;
  /** Segments that begin before it are gone. */
  readonly first: number;
  readonly end: number;
  readonly segments: readonly SegmentState[];
}

/** Stdin of a process, or the input of its terminal. */
export interface InputState {
  /** The offset up to which the keeper has taken everything. */
  readonly taken: number;
  /** The offset up to which bytes may be sent. */
  readonly limit: number;
  /** The number of the last STDIN on this connection. */
  readonly sequence: number;
  /** Bytes that were taken and did not reach the process before it was closed. */
  readonly dropped: number;
  readonly isOpen: boolean;
}

/** The STATE frame of `docs/keeper.md`: everything that is known of one process. */
export interface KeeperState {
  readonly id: string;
  readonly pid: number;
  readonly onTerminal: boolean;
  readonly hasStdin: boolean;
  readonly input: InputState;
  readonly streams: readonly StreamState[];
  readonly orderEntries: number;
  /** Undefined until it has ended. */
  readonly end: ProcessEnd | undefined;
  /** The id of the process that forked it and handed it over. */
  readonly forker: string | undefined;
  /** What START brought, if an earlier connection sent it. */
  readonly record: Buffer | undefined;
}

const ENDED = 2;

export function readState(frame: FrameReader): KeeperState {
  const id = frame.text();
  const pid = frame.u32();
  const hasEnded = frame.u8() === ENDED;
  const kind = frame.u8();
  const isOpen = frame.flag();
  const input = { isOpen, taken: frame.u64(), limit: frame.u64(), sequence: frame.u64(), dropped: frame.u64() };
  const streams = Array.from({ length: frame.u8() }, () => readStream(frame));
  const orderEntries = frame.u64();
  const end = hasEnded ? readEnd(frame) : undefined;
  const forker = frame.text();
  const record = frame.flag() ? frame.bytes() : undefined;
  return {
    id,
    pid,
    onTerminal: kind === STDIN_KIND.terminal,
    hasStdin: kind !== STDIN_KIND.null,
    input,
    streams,
    orderEntries,
    end,
    forker: forker === '' ? undefined : forker,
    record,
  };
}

function readStream(frame: FrameReader): StreamState {
  const isStderr = frame.u8() === 1;
  const eof = frame.flag();
  const first = frame.u64();
  const end = frame.u64();
  const segments = Array.from({ length: frame.u32() }, () => ({ start: frame.u64(), end: frame.u64() }));
  return { isStderr, eof, first, end, segments };
}

function readEnd(frame: FrameReader): ProcessEnd {
  const bySignal = frame.flag();
  const value = frame.u32();
  const [cpuUserMs, cpuSystemMs] = [frame.u64() / 1000, frame.u64() / 1000];
  const maxRssBytes = frame.u64();
  const oom = frame.u8();
  const oomProcess = frame.text() || null;
  const usage = { cpuUserMs, cpuSystemMs, maxRssBytes, oomKilled: oom === 2 ? null : oom === 1, oomProcess };
  const background = frame.flag();
  const endedAt = new Date(frame.u64());
  const how = bySignal ? { exitCode: null, signal: signalName(value) } : { exitCode: value, signal: null };
  return { ...how, background, usage, endedAt };
}

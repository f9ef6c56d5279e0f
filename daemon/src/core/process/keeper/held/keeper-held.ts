import type { MemoryKill } from '../../process-host.ts';
import type { HostCheck } from '../../stdin/stdin-pipe.ts';
import type { FrameWriter } from '../keeper-frames.ts';
import type { KeeperFiles } from '../recovery/keeper-files.ts';
import { KeeperProcess } from './keeper-process.ts';
import type { KeeperState } from './keeper-state.ts';

interface Bonds {
  readonly files: KeeperFiles;
  readonly send: (frame: FrameWriter) => void;
  readonly forget: (id: string, discard: boolean) => void;
  readonly check: HostCheck;
  readonly signalForeground: (id: string, signal: number) => Promise<boolean>;
  readonly memoryKill: (id: string) => Promise<MemoryKill | undefined>;
}

/** The processes that the keeper holds, in the states that it has announced. */
export class KeeperHeld {
  readonly #bonds: Bonds;
  readonly #held = new Map<string, KeeperProcess>();
  /** Ids that the keeper has announced since it was joined. */
  readonly #announced = new Set<string>();

  constructor(bonds: Bonds) {
    this.#bonds = bonds;
  }

  get processes(): ReadonlyMap<string, KeeperProcess> {
    return this.#held;
  }

  /** The keeper has announced it since it was joined. */
  isAnnounced(id: string): boolean {
    return this.#announced.has(id);
  }

  /** Another keeper may be joined: nothing is announced yet. */
  anew(): void {
    this.#announced.clear();
  }

  /** A STATE. */
  apply(state: KeeperState): KeeperProcess {
    const { id } = state;
    const hosted = this.#held.get(id) ?? this.#track(state);
    const isFirst = !this.#announced.has(id);
    this.#announced.add(id);
    hosted.apply(state, isFirst);
    return hosted;
  }

  lose(lost: Iterable<KeeperProcess>): void {
    for (const hosted of [...lost]) {
      this.#held.delete(hosted.id);
      hosted.lose();
    }
  }

  #track({ id, pid, onTerminal, hasStdin, forker, record }: KeeperState): KeeperProcess {
    const { files, send, forget, check, signalForeground, memoryKill } = this.#bonds;
    const hosted = new KeeperProcess({
      memoryKill: () => memoryKill(id),
      pid,
      output: files.logOf(id, onTerminal),
      hasStdin,
      forker,
      record: record?.toString(),
      send,
      forget,
      check,
      onChange: ({ complete }) => {
        if (!complete) return;
        this.#held.delete(id);
        this.#announced.delete(id);
      },
      signalForeground: onTerminal ? (signal) => signalForeground(id, signal) : undefined,
    });
    this.#held.set(id, hosted);
    return hosted;
  }
}

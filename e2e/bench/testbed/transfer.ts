import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drain } from './drain.ts';
import { pour } from './pour.ts';
import type { Service } from './services.ts';

/** Bytes of one transfer. */
export const TRANSFER_BYTES = 1_000_000_000;
const PIECE_BYTES = 100_000_000;

/** A directory with a file to send and room for a received one; removed on disposal. */
export class TransferDirectory implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'bench-transfer-'));

  constructor() {
    try {
      for (let at = 0; at < TRANSFER_BYTES; at += PIECE_BYTES) {
        writeFileSync(join(this.path, 'file'), Buffer.alloc(PIECE_BYTES, at / PIECE_BYTES), { flag: 'a' });
      }
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  /** The transfers of the daemon's API. */
  ours({ port }: Service): Transfers {
    return {
      down: () => down(port, `/v2/fs/download?path=${this.path}/file`),
      up: () => pour(port, `/v2/fs/upload?path=${this.path}/up-ours`, TRANSFER_BYTES),
    };
  }

  /** The transfers of `e2e/bench/peers/floor.mjs`. */
  floor({ port }: Service): Transfers {
    return {
      down: () => down(port, `/file?path=${this.path}/file`),
      up: () => pour(port, `/file?path=${this.path}/up-floor`, TRANSFER_BYTES),
    };
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** Each transfers the file once and returns the seconds it took. */
export interface Transfers {
  readonly down: () => Promise<number>;
  readonly up: () => Promise<number>;
}

/** The transfers of `nginxOfFiles` on that directory. */
export function nginxTransfers({ port }: Service): Transfers {
  return { down: () => down(port, '/file'), up: () => pour(port, '/up-nginx', TRANSFER_BYTES) };
}

async function down(port: number, path: string): Promise<number> {
  return (await drain(port, path, TRANSFER_BYTES)).seconds;
}

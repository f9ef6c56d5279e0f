import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from '../../core/finding.ts';

/** Writes a real file into the directory and removes it. */
export async function probeFileWrite(directory: string): Promise<Finding> {
  const path = join(directory, randomUUID());
  try {
    await writeFile(path, 'ready');
    return { name: 'files', ok: true, detail: 'a file was written' };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { name: 'files', ok: false, detail, hint: 'free some space under SVC_RUNTIME_DIR, or point it elsewhere' };
  } finally {
    await rm(path, { force: true });
  }
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';

/** The OpenAPI document of a surface, from an app that lives only for this. */
export async function openapiDocument(surface: 'v1' | 'v2'): Promise<unknown> {
  const runtimeDir = await mkdtemp(join(tmpdir(), 'sandboxd-'));
  try {
    const app = await buildApp({ ...readConfig([], {}), runtimeDir, processHost: 'portable', logLevel: 'silent' });
    try {
      return (await app.inject(`/${surface}/openapi.json`)).json();
    } finally {
      await app.close();
    }
  } finally {
    // A process that the app started may create its last file while the directory is removed.
    await rm(runtimeDir, { recursive: true, force: true, maxRetries: 10 });
  }
}

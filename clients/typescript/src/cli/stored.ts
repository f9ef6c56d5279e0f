import { readFileSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';

/** What `login` stores. */
export interface Stored {
  readonly url?: string;
  readonly apiKey?: string;
}

/** A file of the account: XDG_CONFIG_HOME or ~/.config, on Windows APPDATA. */
function storedPath(): string {
  const { APPDATA, XDG_CONFIG_HOME } = process.env;
  const base = process.platform === 'win32' ? APPDATA : XDG_CONFIG_HOME;
  return join(base || join(process.env['HOME'] || homedir(), '.config'), 'sandbox', 'login.json');
}

/** Read at once, since Node loads its promises of files on first use. */
export function readStored(): Stored {
  try {
    return JSON.parse(readFileSync(storedPath(), 'utf8')) as Stored;
  } catch {
    return {};
  }
}

/** @returns the path of the file */
export async function writeStored(stored: Stored): Promise<string> {
  const path = storedPath();
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, `${JSON.stringify(stored)}\n`, { mode: 0o600 });
  // The mode above is that of a new file.
  await chmod(path, 0o600);
  return path;
}

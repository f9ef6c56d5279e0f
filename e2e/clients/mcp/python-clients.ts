import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { virtualEnvironment } from '../virtual-environment.ts';
import type { Client } from './calls.ts';

const PATIENCE_MS = 300_000;

/** A client in Python: a driver of this folder that reads address and calls as JSON, and prints what it saw. */
function driven(name: string, packages: readonly string[], driver: string, more: object = {}): Client {
  return async (address, calls) => {
    const python = await virtualEnvironment(name, [['install', '--quiet', ...packages]]);
    const program = join(import.meta.dirname, driver);
    const child = spawn(python, ['-P', program], { stdio: ['pipe', 'pipe', 'pipe'], timeout: PATIENCE_MS });
    child.stdin.end(JSON.stringify({ ...address, ...more, calls }));
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    if (code !== 0) throw new Error(`${driver} ended with ${code}: ${stderr}`);
    return JSON.parse(stdout);
  };
}

/** The official Python SDK: with the newest revision that both know, or with a handshake. */
export const pythonSdk = (mode: 'auto' | 'legacy'): Client => driven('mcp', ['mcp==2.3.0'], 'drive_sdk.py', { mode });

/** The adapter of LangChain, which makes a tool of its own of each. */
export const langchain = driven('langchain-mcp', ['langchain-mcp-adapters==0.3.2'], 'drive_langchain.py');

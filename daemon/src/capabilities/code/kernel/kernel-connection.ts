import { randomBytes } from 'node:crypto';
import { closeSync, fchownSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InterpreterSpec } from '../runtime/language-runtime.ts';
import { type KernelConnection, PORTS } from './kernel-client.ts';

/** Of a new kernel, with sockets in that directory. */
export function newConnection(directory: string): KernelConnection {
  return {
    path: join(directory, 'k'),
    key: randomBytes(32).toString('hex'),
    identity: `sandbox-${randomBytes(8).toString('hex')}`,
  };
}

/** The file that Jupyter kernels read; only the account can. */
export function writeConnectionFile(directory: string, { path, key }: KernelConnection, spec: InterpreterSpec): string {
  const file = join(directory, 'connection.json');
  const content = {
    transport: 'ipc',
    ip: path,
    shell_port: PORTS.shell,
    iopub_port: PORTS.iopub,
    stdin_port: PORTS.stdin,
    control_port: PORTS.control,
    hb_port: PORTS.heartbeat,
    key,
    signature_scheme: 'hmac-sha256',
    kernel_name: spec.variant,
  };
  const fd = openSync(file, 'wx', 0o600);
  try {
    writeFileSync(fd, JSON.stringify(content));
    if (process.getuid?.() === 0) fchownSync(fd, spec.identity.uid, spec.identity.gid);
  } finally {
    closeSync(fd);
  }
  return file;
}

import { HttpClient, requireOk } from './http-client.ts';
import type { Service } from './services.ts';

interface Started {
  readonly command_id: string;
  readonly status: string;
}

/** Runs a command to its end, at most a minute. @returns the path under which its output is read */
export async function runCommand({ port }: Service, command: string): Promise<string> {
  const { command_id, status } = await post(port, { command, timeout: 60, max_output_length: 1 });
  if (status !== 'completed') throw new Error(`the command is ${status}: ${command}`);
  return pathOf(command_id);
}

/** Starts a command. @returns the path under which its output is read */
export async function startCommand({ port }: Service, command: string): Promise<string> {
  return pathOf((await post(port, { command, mode: 'async' })).command_id);
}

/**
 * Resolves when the command has ended.
 * @throws Error if its standard output has another length
 */
export async function commandEnded({ port }: Service, path: string, bytes: number): Promise<void> {
  using client = new HttpClient(port);
  for (;;) {
    const body = requireOk(await client.get(`${path}?limit=0&wait=true&wait_timeout=1&offset=${bytes}`));
    const { command, offset } = JSON.parse(body).data;
    if (command.status === 'running') continue;
    if (command.status === 'completed' && offset === bytes) return;
    throw new Error(`the command is ${command.status} with ${offset} bytes of ${bytes}`);
  }
}

async function post(port: number, body: object): Promise<Started> {
  using client = new HttpClient(port);
  return JSON.parse(requireOk(await client.post('/v2/commands', body))).data;
}

function pathOf(id: string): string {
  return `/v2/commands/${id}`;
}

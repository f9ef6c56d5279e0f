import { execFile } from 'node:child_process';
import { cpus, release, totalmem, type } from 'node:os';
import process from 'node:process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The machine in one line, without anything that identifies its owner. */
export async function describeMachine(): Promise<string> {
  const [cpu] = cpus();
  const cores = cpus().length;
  return [
    `${cpu?.model.trim() ?? process.arch}, ${cores} ${cores === 1 ? 'core' : 'cores'}`,
    `${Math.round(totalmem() / 1024 ** 3)} GiB memory`,
    `${type()} ${release()}`,
    `Node ${process.version.slice(1)}`,
    ...(await nginxVersion()),
  ].join('; ');
}

async function nginxVersion(): Promise<string[]> {
  try {
    const { stderr } = await run('nginx', ['-v']);
    const version = /nginx\/(\S+)/.exec(stderr)?.[1];
    return version === undefined ? [] : [`nginx ${version}`];
  } catch {
    return [];
  }
}

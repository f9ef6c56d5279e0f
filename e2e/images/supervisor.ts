import type { Sandbox } from './sandbox.ts';

const SOCKET = '/run/svc/supervisor.sock';

/** A program that the supervisor knows. */
interface Program {
  readonly name: string;
  /** Such as RUNNING or STOPPED. */
  readonly state: string;
  /** 0 while it does not run. */
  readonly pid: number;
}

/**
 * Calls a method of the supervisor's XML-RPC on its socket, since `supervisorctl` starts a Python for each call.
 * @throws Error with the supervisor's message, such as NOT_RUNNING
 */
async function call(sandbox: Sandbox, method: string, ...params: string[]): Promise<string> {
  const values = params.map((value) => `<param><value><string>${value}</string></value></param>`).join('');
  const body = `<methodCall><methodName>supervisor.${method}</methodName><params>${values}</params></methodCall>`;
  const answer = await sandbox.shell(
    `exec curl -sS --noproxy '*' --unix-socket ${SOCKET} -H 'content-type: text/xml' -d '${body}' http://supervisor/RPC2`,
  );
  if (!answer.includes('<methodResponse>')) throw new Error(`${method}: ${answer}`);
  const fault = /<name>faultString<\/name>\s*<value><string>([^<]*)/.exec(answer);
  if (fault) throw new Error(`${method} ${params}: ${fault[1]}`);
  return answer;
}

async function listPrograms(sandbox: Sandbox): Promise<readonly Program[]> {
  const structs = (await call(sandbox, 'getAllProcessInfo')).split('<struct>').slice(1);
  return structs.map((struct) => {
    const field = (name: string): string => {
      const value = new RegExp(`<name>${name}</name>\\s*<value><(?:string|int)>([^<]*)`).exec(struct)?.[1];
      if (value === undefined) throw new Error(`the supervisor names no ${name}: ${struct}`);
      return value;
    };
    return { name: field('name'), state: field('statename'), pid: Number(field('pid')) };
  });
}

/** Names and states of the programs. */
export async function programs(sandbox: Sandbox): Promise<Record<string, string>> {
  return Object.fromEntries((await listPrograms(sandbox)).map(({ name, state }) => [name, state]));
}

/** Names and process ids of the programs that run. */
export async function pids(sandbox: Sandbox): Promise<Record<string, number>> {
  const running = (await listPrograms(sandbox)).filter(({ state }) => state === 'RUNNING');
  return Object.fromEntries(running.map(({ name, pid }) => [name, pid]));
}

/** Undefined while the program has no process. */
export async function pidOf(sandbox: Sandbox, program: string): Promise<number | undefined> {
  return (await listPrograms(sandbox)).find(({ name }) => name === program)?.pid || undefined;
}

/** Stops a program that runs; resolves when it has ended. */
export async function stopProgram(sandbox: Sandbox, program: string): Promise<void> {
  await call(sandbox, 'stopProcess', program);
}

/** Starts a program that does not run; resolves when the supervisor takes it for running. */
export async function startProgram(sandbox: Sandbox, program: string): Promise<void> {
  await call(sandbox, 'startProcess', program);
}

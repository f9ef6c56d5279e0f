import { textOf } from '../process-host.fixture.ts';
import type { HostedProcess, Reservation, StartSpec } from '../process-host.ts';
import { idIn } from './keeper.fixture.ts';
import type { KeeperHost } from './keeper-host.ts';

const RESERVED_MS = 60_000;

/** `forker.fixture.c`, started as a forker. */
export class Forker {
  readonly process: HostedProcess;
  readonly #host: KeeperHost;
  readonly #directory: string;
  #read = 0;

  private constructor(host: KeeperHost, directory: string, process: HostedProcess) {
    this.#host = host;
    this.#directory = directory;
    this.process = process;
  }

  static async start(
    host: KeeperHost,
    directory: string,
    program: string,
    more: Partial<StartSpec> = {},
  ): Promise<Forker> {
    const id = idIn(directory, 'forker');
    const env = { PATH: '/usr/bin:/bin', SVC_COMMAND_ID: id };
    const spec = { id, file: program, args: [], cwd: '/', env, stdin: 'pipe', outputMaxBytes: 1024 * 1024 } as const;
    return new Forker(host, directory, await host.start({ ...spec, forks: true, ...more }));
  }

  /** As one that an earlier daemon started. */
  static recovered(host: KeeperHost, directory: string, process: HostedProcess): Forker {
    const forker = new Forker(host, directory, process);
    forker.#read = process.output.stdout.end;
    return forker;
  }

  reserve(name: string, stdin: 'null' | 'pipe' = 'null', ms: number = RESERVED_MS): Promise<Reservation> {
    const id = idIn(this.#directory, name);
    return this.#host.reserve(this.process.id, { id, stdin, outputMaxBytes: 1024 * 1024, record: name }, { ms });
  }

  async tell(line: string): Promise<void> {
    await this.process.writeStdin(Buffer.from(`${line}\n`));
  }

  /** The words of the line that it prints in answer. */
  async ask(line: string): Promise<string[]> {
    await this.tell(line);
    return this.answer();
  }

  async answer(): Promise<string[]> {
    const log = this.process.output.stdout;
    for (;;) {
      const rest = (await textOf(log)).slice(this.#read);
      const end = rest.indexOf('\n');
      if (end >= 0) {
        this.#read += end + 1;
        return rest.slice(0, end).split(' ');
      }
      if (log.sealed) throw new Error('the forker has ended');
      await log.advanced(log.end);
    }
  }

  /** Reserves an id, has a child forked for it and handed over, and answers that. */
  async fork(name: string, mode: string, stdin: 'null' | 'pipe' = 'null'): Promise<HostedProcess> {
    const place = await this.reserve(name, stdin);
    await this.tell(`fork ${place.id} ${stdin === 'pipe' ? 1 : 0} usual ${mode}`);
    return place.adopted;
  }
}

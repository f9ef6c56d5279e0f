import { expect, test } from 'vitest';
import { NO_BROWSER, NO_KERNELS, type Sandbox, sharedSandbox } from './sandbox.ts';

const sandbox = sharedSandbox({ env: { ...NO_BROWSER, ...NO_KERNELS } });

const APP = '/home/sandbox/app';
const PACKAGES = 60;

/** Creates packages with directories, files and a program, one tarball each, and an application that depends on all. */
const MAKE_PACKAGES = `
import io, json, os, tarfile
os.makedirs('packages')
os.makedirs('app')
for n in range(${PACKAGES}):
    files = {'package.json': json.dumps({'name': 'dep%d' % n, 'version': '1.0.0', 'bin': {'run%d' % n: 'bin/run.js'}}),
             'bin/run.js': '#!/usr/bin/env node\\nconsole.log(%d);\\n' % n}
    for f in range(60):
        files['lib/d%d/e%d/f%d.js' % (f % 4, f % 3, f)] = 'module.exports = %d;\\n' % f
    with tarfile.open('packages/dep%d.tgz' % n, 'w:gz') as out:
        for name, text in files.items():
            entry = tarfile.TarInfo('package/' + name)
            entry.size = len(text)
            out.addfile(entry, io.BytesIO(text.encode()))
needs = {'dep%d' % n: 'file:../packages/dep%d.tgz' % n for n in range(${PACKAGES})}
json.dump({'name': 'app', 'version': '1.0.0', 'dependencies': needs}, open('app/package.json', 'w'))
`;

interface Event {
  readonly seq: number;
  readonly type: 'create' | 'write' | 'remove' | 'rename' | 'chmod';
  readonly path: string;
  readonly old_path: string | null;
}

/** A client's view of a directory from polled events; it lists the directory again only after an overflow. */
class Follower {
  readonly #sandbox: Sandbox;
  readonly #id: string;
  #paths = new Set<string>();
  #cursor = 0;
  /** Polls with an overflow. */
  overflows = 0;
  events = 0;

  constructor(followed: Sandbox, id: string) {
    this.#sandbox = followed;
    this.#id = id;
  }

  get paths(): string[] {
    return [...this.#paths].sort();
  }

  async until(type: Event['type'], path: string): Promise<void> {
    for (;;) {
      const query = `cursor=${this.#cursor}&limit=1000&timeout=30`;
      const answer = await this.#sandbox.fetch(`/v2/watch/${this.#id}/poll?${query}`);
      const { data } = (await answer.json()) as { data: { events: Event[]; cursor: number; overflow: boolean } };
      if (data.overflow) {
        this.overflows += 1;
        await this.list();
      } else expect(data.events.map(({ seq }) => seq)).toEqual(data.events.map((_, at) => this.#cursor + at + 1));
      this.#cursor = data.cursor;
      this.events += data.events.length;
      for (const event of data.events) this.#apply(event);
      if (data.events.some((event) => event.type === type && event.path === path)) return;
    }
  }

  /** Lists the directory, page by page. */
  async list(): Promise<void> {
    this.#paths.clear();
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const query = new URLSearchParams({ path: APP, recursive: 'true', limit: '10000', ...(cursor && { cursor }) });
      const answer = await this.#sandbox.fetch(`/v2/fs/list?${query}`);
      const { data } = (await answer.json()) as { data: { files: { path: string }[]; cursor: string | null } };
      for (const { path } of data.files) this.#paths.add(path);
      cursor = data.cursor ?? undefined;
    }
  }

  #apply({ type, path, old_path }: Event): void {
    const below = (root: string) => (name: string) => name === root || name.startsWith(`${root}/`);
    if (type === 'create') this.#paths.add(path);
    if (type === 'remove') for (const name of this.paths.filter(below(path))) this.#paths.delete(name);
    if (type !== 'rename' || old_path === null) return;
    const moved = this.paths.filter(below(old_path));
    if (moved.length > 0) for (const name of this.paths.filter(below(path))) this.#paths.delete(name);
    for (const name of moved) this.#paths.delete(name);
    for (const name of moved) this.#paths.add(path + name.slice(old_path.length));
    this.#paths.add(path);
  }
}

/** The paths that exist, found inside the sandbox. */
async function found(): Promise<string[]> {
  return (await sandbox().shell(`find ${APP} -mindepth 1`)).split('\n').sort();
}

test('[images.npm-install] the events of an npm install and its listings give every file', {
  timeout: 300_000,
}, async () => {
  await sandbox().run('python3 -', { stdin: MAKE_PACKAGES });
  const { watcher_id } = await sandbox().post<{ watcher_id: string }>('/v2/watch', {
    path: APP,
    exclude: [],
    debounce: 100,
  });
  const follower = new Follower(sandbox(), watcher_id);
  await follower.list();
  /** Runs a command in the application and follows its events to the end. */
  const run = async (command: string): Promise<void> => {
    const ran = sandbox().run(`${command} && touch ${APP}/end && rm ${APP}/end`, { cwd: APP, timeout: 250 });
    const followed = follower.until('remove', `${APP}/end`);
    followed.catch(() => undefined);
    expect(await ran).toMatchObject({ status: 'completed', exit_code: 0 });
    await followed;
  };
  const npm = 'npm --offline --no-audit --no-fund --loglevel=error';

  await run(`${npm} install`);
  await run('true');
  expect(follower.paths).toEqual(await found());
  expect(follower.paths.length).toBeGreaterThan(PACKAGES * 60);
  expect((await sandbox().run('node_modules/.bin/run7', { cwd: APP })).stdout).toBe('7\n');

  await run(`${npm} uninstall dep1 dep2 dep3 && rm -r node_modules/dep4 && ${npm} install`);
  await run('true');
  expect(follower.paths).toEqual(await found());
  process.stdout.write(`npm install: ${follower.events} events, ${follower.overflows} overflows\n`);
});

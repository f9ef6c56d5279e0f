import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ROOT } from './root.ts';
import { type TempDir, tempDir } from './testing/temp-dir.ts';

const run = promisify(execFile);

/** A repository with a workspace that contains the package of its own Node, so that npm downloads nothing. */
async function repository(node = `#!/bin/sh\nexec '${process.execPath}' "$@"\n`): Promise<TempDir> {
  const directory = await tempDir();
  const write = (file: string, content: unknown): Promise<void> =>
    writeFile(join(directory.path, file), typeof content === 'string' ? content : JSON.stringify(content));
  const own = { version: '1.0.0', bin: { node: 'node' } };
  const member = { version: '1.0.0' };
  const root = { name: 'r', version: '1.0.0', workspaces: ['member'], devDependencies: { own: 'file:own' } };
  await Promise.all(['own', 'member'].map((name) => mkdir(join(directory.path, name))));
  await write('own/package.json', { name: 'own', ...own });
  await write('own/node', node);
  await write('member/package.json', { name: 'member', ...member });
  await write('package.json', root);
  await write('package-lock.json', {
    name: 'r',
    version: '1.0.0',
    lockfileVersion: 3,
    packages: {
      '': root,
      member,
      'node_modules/member': { resolved: 'member', link: true },
      'node_modules/own': { resolved: 'own', link: true },
      own: { ...own, dev: true },
    },
  });
  await copyFile(join(ROOT, 'setup.mjs'), join(directory.path, 'setup.mjs'));
  return directory;
}

interface Outcome {
  readonly code: number;
  readonly text: string;
}

async function setup(root: string, env: Record<string, string> = {}, ...nodeArgs: string[]): Promise<Outcome> {
  const options = { cwd: root, env: { ...process.env, npm_execpath: '', ...env } };
  try {
    const { stdout, stderr } = await run(process.execPath, [...nodeArgs, 'setup.mjs', '--port', '1'], options);
    return { code: 0, text: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, text: stdout + stderr };
  }
}

/** The commands of the README that are run in a fresh clone. */
async function commandsOfReadme(): Promise<string[]> {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  return [...new Set(readme.match(/\bnpm (?:start|test|run [\w:-]+)/g))];
}

test('each command of the README, as the first one of a fresh clone, installs and runs under the own Node', async () => {
  const commands = await commandsOfReadme();
  expect(commands.toSorted()).toEqual(['npm run bundle', 'npm run images', 'npm start', 'npm test']);
  const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
  for (const command of commands) {
    await using repo = await repository(`#!/bin/sh\nOWN_NODE=yes exec '${process.execPath}' "$@"\n`);
    const manifest = join(repo.path, 'package.json');
    await writeFile(manifest, JSON.stringify({ ...JSON.parse(await readFile(manifest, 'utf8')), scripts }));
    await mkdir(join(repo.path, 'scripts'));
    const script = `const own: string | undefined = process.env['OWN_NODE'];\nconsole.log('own Node:', own);\n`;
    for (const name of ['serve', 'test-all', 'images', 'bundle'])
      await writeFile(join(repo.path, `scripts/${name}.ts`), script);
    const [npm = '', ...args] = command.split(' ');
    const { stdout } = await run(npm, args, { cwd: repo.path });
    expect([command, stdout]).toEqual([
      command,
      expect.stringMatching(/setup: packages installed in \d+ s\n(?:.*\n)*own Node: yes\n$/),
    ]);
  }
});

const OLD_HOST = `data:text/javascript,Object.defineProperty(process, 'version', { value: 'v20.0.0' })`;

test('the first run installs and says so, the second does nothing, a changed lock installs again', async () => {
  await using repo = await repository();
  const first = await setup(repo.path);
  expect(first.code).toBe(0);
  expect(first.text).toMatch(/^setup: installing packages\nsetup: packages installed in \d+ s\n$/);
  const { stdout } = await run(join(repo.path, 'node_modules/.bin/node'), ['--version']);
  expect(stdout.trim()).toBe(process.version);
  expect(await setup(repo.path)).toEqual({ code: 0, text: '' });
  const lock = join(repo.path, 'package-lock.json');
  await writeFile(lock, `${await readFile(lock, 'utf8')}\n`);
  expect((await setup(repo.path)).text).toContain('node_modules is not what package-lock.json names: installing');
});

test("a user's odd settings of npm change nothing", async () => {
  await using repo = await repository();
  const npmrc = join(repo.path, 'odd.npmrc');
  const settings = [
    'omit[]=dev',
    'omit[]=optional',
    'global=true',
    'package-lock=false',
    'bin-links=false',
    'dry-run=true',
  ];
  const others = ['engine-strict=true', 'workspaces=false', 'install-strategy=nested', 'legacy-peer-deps=true'];
  await writeFile(npmrc, [...settings, ...others].join('\n'));
  const { code, text } = await setup(repo.path, { npm_config_userconfig: npmrc, NODE_ENV: 'production' });
  expect(text).toContain('setup: packages installed');
  expect(code).toBe(0);
  await readFile(join(repo.path, 'node_modules/.bin/node'));
  await readFile(join(repo.path, 'node_modules/member/package.json'));
});

test('an install that fails ends the set-up and is tried again', async () => {
  await using repo = await repository();
  await writeFile(join(repo.path, 'package.json'), '{"name":"r","version":"1.0.0","dependencies":{"absent":"1.0.0"}}');
  const outcome = await setup(repo.path);
  expect(outcome.code).toBe(1);
  expect(outcome.text).toContain('setup: npm ci failed, see above');
  expect((await setup(repo.path)).code).toBe(1);
});

test("where no package brings a Node that runs, the host's takes its place if it is new enough", async () => {
  await using repo = await repository('#!/bin/sh\nexit 1\n');
  const text = `using the host's ${process.version}`;
  expect((await setup(repo.path)).text).toContain(text);
  await expect(readFile(join(repo.path, 'node_modules/.bin/node'))).rejects.toThrow('ENOENT');
  await symlink(join(repo.path, 'absent'), join(repo.path, 'node_modules/.bin/node'));
  expect((await setup(repo.path)).text).toContain(text);
});

test("an old host works with the repository's own Node; without it one line says what is needed", async () => {
  await using repo = await repository();
  expect((await setup(repo.path, {}, '--import', OLD_HOST)).code).toBe(0);
  await rm(join(repo.path, 'node_modules/.bin/node'));
  const outcome = await setup(repo.path, {}, '--import', OLD_HOST);
  expect(outcome).toEqual({
    code: 1,
    text: `setup: Node 24 or newer is needed: no package brings one to ${process.platform}-${process.arch}, and this is v20.0.0\n`,
  });
});

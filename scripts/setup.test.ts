import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
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
  const root = { name: 'r', version: '1.0.0', workspaces: ['member'] };
  const needs = { dependencies: { own: 'file:own' }, devDependencies: { tool: 'file:tool' } };
  await Promise.all(['own', 'member', 'tool'].map((name) => mkdir(join(directory.path, name))));
  await write('own/package.json', { name: 'own', ...own });
  await write('own/node', node);
  await write('member/package.json', { name: 'member', ...member });
  await write('tool/package.json', { name: 'tool', ...member });
  await write('package.json', { ...root, ...needs });
  await write('package-lock.json', {
    name: 'r',
    version: '1.0.0',
    lockfileVersion: 3,
    packages: {
      '': { ...root, ...needs },
      member,
      'node_modules/member': { resolved: 'member', link: true },
      'node_modules/own': { resolved: 'own', link: true },
      'node_modules/tool': { resolved: 'tool', link: true },
      own,
      tool: { ...member, dev: true },
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
  return await setupOf('whole', root, env, ...nodeArgs);
}

async function setupOf(
  extent: 'whole' | 'product',
  root: string,
  env: Record<string, string> = {},
  ...nodeArgs: string[]
): Promise<Outcome> {
  const options = { cwd: root, env: { ...process.env, npm_execpath: '', ...env } };
  try {
    const { stdout, stderr } = await run(
      process.execPath,
      [...nodeArgs, 'setup.mjs', ...(extent === 'product' ? [extent] : [])],
      options,
    );
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

test('the command line of a fresh clone whose service is a container is built at its first use', async () => {
  await using repo = await repository();
  const manifest = join(repo.path, 'package.json');
  const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
  await writeFile(manifest, JSON.stringify({ ...JSON.parse(await readFile(manifest, 'utf8')), scripts }));
  const program = join(repo.path, 'scripts/serve/bin/sandbox');
  await mkdir(join(repo.path, 'scripts/serve/bin'), { recursive: true });
  await copyFile(join(ROOT, 'scripts/serve/bin/sandbox'), program);
  const build = `import { mkdirSync, writeFileSync } from 'node:fs';
mkdirSync('dist', { recursive: true });
writeFileSync('dist/sandbox.cjs', 'console.log(process.argv.slice(2).join())');\n`;
  await writeFile(join(repo.path, 'scripts/build-command-line.ts'), build);
  const first = await run(program, ['run', '--', 'true'], { cwd: '/' });
  expect(first).toEqual({ stdout: 'run,--,true\n', stderr: expect.stringContaining('setup: packages installed') });
  expect(await run(program, ['ps'], { cwd: '/' })).toEqual({ stdout: 'ps\n', stderr: '' });
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

test('what npm start needs is installed without the packages of tests, and a whole installation stays whole', async () => {
  await using repo = await repository();
  const hasTool = (): boolean => existsSync(join(repo.path, 'node_modules/tool/package.json'));
  expect((await setupOf('product', repo.path)).text).toContain('setup: installing packages');
  expect(hasTool()).toBe(false);
  expect(await setupOf('product', repo.path)).toEqual({ code: 0, text: '' });
  expect((await setup(repo.path)).text).toContain('setup: packages installed');
  expect(hasTool()).toBe(true);
  expect(await setupOf('product', repo.path)).toEqual({ code: 0, text: '' });
  const lock = join(repo.path, 'package-lock.json');
  await writeFile(lock, `${await readFile(lock, 'utf8')}\n`);
  expect((await setupOf('product', repo.path)).text).toContain('setup: packages installed');
  expect(hasTool()).toBe(true);
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

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { McpCaller } from '../../mcp/mcp.fixture.ts';
import { SkillService } from './skill-service.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skills-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function skill(directory: string, text: string): void {
  mkdirSync(join(folder, directory));
  writeFileSync(join(folder, directory, 'SKILL.md'), text);
}

function matter(name: string, description = 'does it'): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n# ${name}\n`;
}

test('[mcp.skills] skills are listed, and loaded with their base path', async () => {
  skill('b', matter('pdf', '"Fills: forms"'));
  skill('a', matter('web'));
  mkdirSync(join(folder, 'no-skill'));
  await using mcp = await McpCaller.start({ SVC_SKILLS_PATH: folder });
  const text = async (args: object) => (await mcp.call('sandbox_load_skill', args)).content[0].text;
  expect(await text({})).toBe('Skills Count: 2\n\n- pdf: Fills: forms\n- web: does it');
  expect(await text({ name: 'pdf' })).toBe(`Base Path: ${join(folder, 'b')}\n\n${matter('pdf', '"Fills: forms"')}`);
  expect(await mcp.call('sandbox_load_skill', { name: 'x' })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/^Skill not found: x\nHint: list what there is/) }],
  });
  // The folder is read at each call.
  skill('c', matter('new'));
  expect(await text({})).toContain('Skills Count: 3');
});

test('[mcp.skills] without a folder there are none; a folder that cannot be read is an error', async () => {
  await using mcp = await McpCaller.start();
  expect((await mcp.call('sandbox_load_skill')).content[0].text).toBe('Skills Count: 0');
  await using missing = await McpCaller.start({ SVC_SKILLS_PATH: '/no/such/folder' });
  expect(await missing.call('sandbox_load_skill')).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('SVC_SKILLS_PATH cannot be read: ENOENT') }],
  });
});

test('[mcp.skills-unusable] skills that cannot be used are reported with the reason', async () => {
  skill('a', matter('same'));
  skill('b', matter('same'));
  skill('c', '# no front matter');
  skill('d', '---\nname: [\n---\n');
  skill('e', '---\ndescription: x\n---\n');
  skill('f', matter('x'.repeat(101)));
  skill('g', matter('large') + ' '.repeat(1024 ** 2));
  skill('i', '---\na: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\nname: aliases\n---\n');
  mkdirSync(join(folder, 'h', 'SKILL.md'), { recursive: true });
  const outside = mkdtempSync(join(tmpdir(), 'outside-'));
  writeFileSync(join(outside, 'SKILL.md'), matter('outside'));
  symlinkSync(outside, join(folder, 'link'));
  symlinkSync(join(folder, 'a'), join(folder, 'z-inner'));
  const service = new SkillService(folder);
  const { skills, unusable } = await service.all();
  rmSync(outside, { recursive: true });
  expect(skills.map(({ name }) => name)).toEqual(['aliases', 'same']);
  expect(Object.fromEntries(unusable.map(({ path, reason }) => [path.slice(folder.length + 1), reason]))).toEqual({
    b: `the name same is that of ${join(folder, 'a')}`,
    c: 'SKILL.md does not begin with front matter between lines of ---',
    d: expect.stringContaining('the front matter is not valid YAML: '),
    e: 'the front matter has no name',
    f: 'the name has more than 100 characters',
    g: 'SKILL.md is over 1048576 bytes',
    h: 'SKILL.md is not a regular file',
    link: 'it is a link that leads out of the folder',
    'z-inner': `the name same is that of ${join(folder, 'a')}`,
  });
});

test('[mcp.skills-unusable] what cannot be read is reported, and nothing that waits is opened', async () => {
  skill('a', matter('fine'));
  skill('b', matter('secret'));
  chmodSync(folder, 0o755);
  chmodSync(join(folder, 'b', 'SKILL.md'), 0);
  mkdirSync(join(folder, 'c'));
  symlinkSync('SKILL.md', join(folder, 'c', 'SKILL.md'));
  mkdirSync(join(folder, 'd'));
  execFileSync('mkfifo', [join(folder, 'd', 'SKILL.md')]);
  const [service, isRoot] = [new SkillService(folder), process.getuid?.() === 0];
  // Root reads what has no permissions.
  if (isRoot) process.seteuid?.(65_534);
  const { skills, unusable } = await service.all().finally(() => isRoot && process.seteuid?.(0));
  expect(skills.map(({ name }) => name)).toEqual(['fine']);
  expect(unusable).toEqual([
    { path: join(folder, 'b'), reason: 'EACCES' },
    { path: join(folder, 'c'), reason: 'ELOOP' },
    { path: join(folder, 'd'), reason: 'SKILL.md is not a regular file' },
  ]);
});

test('[mcp.skills] ten thousand files beside the skills', async () => {
  for (let n = 0; n < 10_000; n += 1) writeFileSync(join(folder, `file-${n}`), '');
  skill('a', matter('one'));
  const { skills } = await new SkillService(folder).all();
  expect(skills.map(({ name }) => name)).toEqual(['one']);
});

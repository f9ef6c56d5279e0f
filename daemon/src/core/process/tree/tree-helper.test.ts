import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { sanitizedProgram } from '../keeper/keeper.fixture.ts';
import { FrameWriter } from '../keeper/keeper-frames.ts';
import { openFrame, putFrame, readFrames, walkFrame } from './tree-frames.ts';
import { TreeHelper } from './tree-helper.ts';

const PROGRAM = `${sanitizedProgram}-tree`;
const ATTRIBUTES = { mode: 0o644, uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, mtime: -1n };
const NO_XATTRS = { ...ATTRIBUTES, xattrs: Buffer.alloc(0) };

function termsOf(root: string) {
  const bounds = { withheld: [], maxEntries: 1000, maxStored: 1024 ** 2, hashes: true };
  return { account: undefined, root: Buffer.from(root), temporaryName: '.part', ...bounds };
}

async function helperOf(root: string, store: string): Promise<TreeHelper> {
  const helper = new TreeHelper(PROGRAM, openSync(store, 'w'));
  await helper.open(termsOf(root));
  return helper;
}

describe.runIf(sanitizedProgram !== undefined)('the helper of trees', () => {
  test('paths that leave the tree, or pass a link, are neither read nor changed', async () => {
    await using directory = await tempDir();
    const root = join(directory.path, 'root');
    mkdirSync(join(root, 'sub'), { recursive: true });
    writeFileSync(join(directory.path, 'outside'), 'outside');
    symlinkSync('..', join(root, 'up'));
    symlinkSync('../outside', join(root, 'link'));
    await using helper = await helperOf(root, join(directory.path, 'store'));
    const paths = ['../outside', 'up/outside', 'link', 'sub/../../outside', '/etc/passwd', '', '.'];
    const errnos: number[] = [];
    await helper.read(paths, (_index, { errno }) => errnos.push(errno));
    expect(errnos.filter((errno) => errno === 0)).toEqual([]);
    for (const path of paths) {
      if (path === 'link') continue;
      expect([path, await helper.put(path, undefined, NO_XATTRS, [Buffer.from('x')])]).not.toEqual([path, 0]);
      expect([path, await helper.remove(path, false, undefined)]).not.toEqual([path, 0]);
    }
    expect(readFileSync(join(directory.path, 'outside'), 'utf8')).toBe('outside');
    // In the place of the link itself, and not of its target.
    expect(await helper.put('link', undefined, NO_XATTRS, [Buffer.from('file')])).toBe(0);
    expect(readFileSync(join(root, 'link'), 'utf8')).toBe('file');
    expect(readFileSync(join(directory.path, 'outside'), 'utf8')).toBe('outside');
  });

  test('many requests at once wait for their answers alone, not each for room in the pipe', async () => {
    await using directory = await tempDir();
    const warnings: string[] = [];
    const onWarning = ({ message }: Error): number => warnings.push(message);
    process.on('warning', onWarning);
    await using helper = await helperOf(directory.path, join(directory.path, 'store'));
    let count = 0;
    const long = `${'x'.repeat(200)}/`.repeat(15);
    const paths = Array.from({ length: 1000 }, (_, index) => `${long}${index}`);
    await helper.read(paths, () => {
      count += 1;
    });
    process.off('warning', onWarning);
    expect(count).toBe(paths.length);
    expect(warnings).toEqual([]);
  });

  test('a file that another one has replaced is left alone', async () => {
    await using directory = await tempDir();
    const root = join(directory.path, 'root');
    mkdirSync(root);
    writeFileSync(join(root, 'file'), 'now');
    await using helper = await helperOf(root, join(directory.path, 'store'));
    const other = { device: 1n, inode: 2n, ctime: 3n };
    expect(await helper.put('file', other, NO_XATTRS, [Buffer.from('x')])).toBe(16);
    expect(await helper.put('file', 'nothing', NO_XATTRS, [Buffer.from('x')])).toBe(16);
    expect(await helper.remove('file', false, other)).toBe(16);
    expect(readFileSync(join(root, 'file'), 'utf8')).toBe('now');
  });

  test('more entries or bytes than the bounds end the helper with what was reached', async () => {
    await using directory = await tempDir();
    const root = join(directory.path, 'root');
    mkdirSync(root);
    for (let index = 0; index < 1001; index += 1) writeFileSync(join(root, `${index}`), '');
    writeFileSync(join(root, 'large'), Buffer.alloc(2 * 1024 ** 2));
    {
      await using helper = await helperOf(root, join(directory.path, 'store'));
      await expect(helper.walk([], () => undefined)).rejects.toMatchObject({ what: 'entries' });
    }
    await using helper = await helperOf(root, join(directory.path, 'store'));
    await expect(helper.read(['large'], () => undefined)).rejects.toMatchObject({ what: 'stored' });
  });

  const malformed: readonly (readonly [string, Buffer])[] = [
    ['a walk before the directory is open', walkFrame(1, [])],
    ['a length of 0', Buffer.alloc(4)],
    ['a length beyond the bound', Buffer.from([0xff, 0xff, 0xff, 0x7f, 1])],
    ['an unknown type', new FrameWriter(200).finish()],
    ['an open frame that is cut', new FrameWriter(36).u8(1).u32(1).finish()],
    ['a second open', Buffer.concat([openFrame(termsOf('/')), openFrame(termsOf('/'))])],
    ['too many patterns', Buffer.concat([openFrame(termsOf('/')), new FrameWriter(37).u32(1).u32(65).finish()])],
    ['a path with NUL', Buffer.concat([openFrame(termsOf('/')), readFrames(1, ['a\0b'])])],
    [
      'a put that is cut',
      Buffer.concat([openFrame(termsOf('/')), putFrame(1, 'x', undefined, NO_XATTRS).subarray(0, 30)]),
    ],
  ];
  test.for(malformed)('%s ends it without a fault of memory', async ([, bytes]) => {
    const child = spawn(PROGRAM, [], { stdio: ['pipe', 'ignore', 'pipe', 'ignore'] });
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    const closed = once(child, 'close');
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(bytes);
    expect([await closed, said]).toEqual([[0, null], '']);
  });
});

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { describeTree, OWN, openEngine, TREE_PROGRAM, wholly } from './tree.fixture.ts';

/** Sets and reads attributes with the calls of Python, since Node has none. */
const SET = `import os, struct, sys
entries = [(1, 6, -1), (2, 4, 7), (4, 4, -1), (16, 4, -1), (32, 4, -1)]
acl = struct.pack('<I', 2) + b''.join(struct.pack('<HHI', tag, rights, id & 0xffffffff) for tag, rights, id in entries)
for path in sys.argv[1:]:
    os.setxattr(path, 'user.colour', b'red\\0blue')
    os.setxattr(path, 'system.posix_acl_access', acl)
    # Their names together are longer than the helper's first buffer.
    for index in range(20): os.setxattr(path, f'user.one-of-many-{index:02d}', b'x')`;
const READ = `import os, sys
for path in sys.argv[1:]:
    print(path, sorted((name, os.getxattr(path, name)) for name in os.listxattr(path)), oct(os.stat(path).st_mode))`;
const CLEAR = `import os, sys
for path in sys.argv[1:]:
    for name in os.listxattr(path): os.removexattr(path, name)
    os.setxattr(path, 'user.other', b'x')`;

function python(program: string, paths: readonly string[]): string {
  return execFileSync('python3', ['-c', program, ...paths], { encoding: 'utf8' });
}

describe.runIf(TREE_PROGRAM.isThere)('attributes', () => {
  test('[checkpoint.exact] extended attributes and access control lists come back, and others go', async () => {
    await using directory = await tempDir();
    const tree = join(directory.path, 'tree');
    const paths = [join(tree, 'file'), join(tree, 'below')];
    mkdirSync(join(tree, 'below'), { recursive: true });
    writeFileSync(join(tree, 'file'), 'content');
    python(SET, paths);
    const [attributes, state] = [python(READ, paths), describeTree(tree)];
    expect(attributes).toContain('user.colour');
    expect(attributes).toContain('user.one-of-many-19');
    expect(attributes).toContain('system.posix_acl_access');
    using engine = openEngine(join(directory.path, 'store'));
    const { id, leftOut } = await engine.create({ ...OWN, root: Buffer.from(tree) });
    expect(leftOut).toEqual([]);
    python(CLEAR, paths);
    chmodSync(join(tree, 'file'), 0o600);
    const { counts } = await engine.diff({ id, to: undefined, account: undefined, maxChanges: 10 });
    expect(counts).toMatchObject({ metadata: 2, modified: 0 });
    expect((await engine.restore(wholly(id))).notRestored).toEqual([]);
    expect(python(READ, paths)).toBe(attributes);
    execFileSync('rm', ['-r', ...paths]);
    expect((await engine.restore(wholly(id))).notRestored).toEqual([]);
    expect([python(READ, paths), describeTree(tree)]).toEqual([attributes, state]);
  });
});

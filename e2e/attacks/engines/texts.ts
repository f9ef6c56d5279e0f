import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type EngineAttack, type EngineTarget, json } from './engine-attack.ts';

const MIB = 1024 ** 2;
const ALIASES = Array.from({ length: 25 }, (_, at) => `a${at + 1}: &a${at + 1} [*a${at}, *a${at}]`).join('\n');

/** Front matter of skills; the last: what the tool says. */
const YAML: readonly (readonly [name: string, matter: string])[] = [
  ['aliases that expand to 2^25 values', `a0: &a0 x\n${ALIASES}\nname: [*a25]`],
  ['an alias within its own anchor', 'name: &a [*a]'],
  ['8,000 nested arrays', `name: ${'['.repeat(8_000)}${']'.repeat(8_000)}`],
  ['8,000 nested maps', `name: ${'{a: '.repeat(3_000)}${'}'.repeat(3_000)}`],
  ['nested block sequences', `name:\n ${'- '.repeat(8_000)}x`],
  ['15,000 explicit keys', '? '.repeat(7_000)],
  ['merges of itself', 'a: &a {<<: *a}\nname: *a'],
  ['a number of 15,000 digits', `name: ${'9'.repeat(15_000)}`],
  ['tags of code', 'name: !!js/function "x"\ndescription: !!python/object:os.system x'],
];

const yaml: readonly EngineAttack[] = YAML.map(([name, matter]) => ({
  engine: 'yaml',
  name,
  statuses: [200],
  run: async ({ call, skills }) => {
    const skill = join(skills, 'skill');
    await mkdir(skill, { recursive: true });
    await writeFile(join(skill, 'SKILL.md'), `---\n${matter}\n---\n`);
    const params = { name: 'sandbox_load_skill', arguments: {} };
    return call('/mcp', json({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
  },
}));

const JSON_TEXTS: readonly (readonly [name: string, text: string, statuses: readonly number[]])[] = [
  ['100,000 nested arrays', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, [400]],
  ['100,000 nested objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, [400]],
  ['a number of 1,000,000 digits', `{"command":"true","timeout":${'9'.repeat(MIB)}}`, [400, 422]],
  ['1,000,000 equal keys', `{${'"a":1,'.repeat(1e6)}"command":"true"}`, [400, 422, 413]],
  ['300,000 different keys', `{${Array.from({ length: 3e5 }, (_, at) => `"k${at}":1`).join()}}`, [400, 422]],
  ['an exponent of 10^9', '{"command":"true","timeout":1e999999999}', [400, 422]],
];

const jsonTexts: readonly EngineAttack[] = JSON_TEXTS.map(([name, text, statuses]) => ({
  engine: 'JSON.parse',
  name,
  statuses,
  run: ({ call }) => call('/v2/commands', json(text)),
}));

/** The last two take what a search may: a minute. */
const PATTERNS = [
  '(a+)+$',
  '(a|a)*b',
  '\\p{L}{5000}',
  '(.*)\\1b',
  '('.repeat(9_000),
  'a{1000}{1000}',
  '(?:a{1,1000}){1,1000}b',
];

const patterns: readonly EngineAttack[] = PATTERNS.flatMap((pattern) =>
  [false, true].map((multiline) => ({
    engine: 'ripgrep',
    name: `${pattern.slice(0, 30)}, ${multiline ? 'over lines' : 'of lines'}`,
    statuses: [200, 400],
    isLong: pattern.includes('1000}{') || pattern.includes('){1,'),
    run: async ({ call, directory }: EngineTarget) => {
      await writeFile(join(directory, 'text'), 'a'.repeat(50_000));
      return call('/v2/fs/grep', json({ path: directory, pattern, multiline }));
    },
  })),
);

const CODE = [
  '('.repeat(100_000),
  '['.repeat(100_000),
  '`${'.repeat(50_000),
  'a=>'.repeat(50_000),
  '!'.repeat(200_000),
  'import "a";'.repeat(20_000),
];

const code: readonly EngineAttack[] = CODE.map((text) => ({
  engine: 'acorn',
  name: `${text.length} characters of ${text.slice(0, 20)}`,
  statuses: [200, 429],
  run: ({ call }) => call('/v2/code/execute', json({ language: 'javascript', code: text, timeout: 10 })),
}));

const part = (head: string, body = 'x'): string => `--b\r\n${head}\r\n\r\n${body}\r\n`;
const FILE = 'Content-Disposition: form-data; name="file"; filename="f"';
const FORMS: readonly (readonly [name: string, boundary: string, body: string, statuses: readonly number[]])[] = [
  ['a form without an end', 'b', part(FILE).slice(0, -2), [400]],
  ['a form of 100,000 files', 'b', `${part(FILE).repeat(100_000)}--b--\r\n`, [400, 422]],
  [
    'a form of 100,000 fields',
    'b',
    `${part('Content-Disposition: form-data; name="path"').repeat(1e5)}--b--\r\n`,
    [400],
  ],
  ['100,000 unknown fields', 'b', `${part('Content-Disposition: form-data; name="a"').repeat(1e5)}--b--\r\n`, [422]],
  ['a part with a header of 9 MiB', 'b', part(`${FILE}\r\nX: ${'x'.repeat(9 * MIB)}`), [400]],
  ['a part with 100,000 headers', 'b', part(`${FILE}\r\n${'X: x\r\n'.repeat(1e5)}Y: y`), [200, 400]],
  [
    'a field of 9 MiB',
    'b',
    `${part('Content-Disposition: form-data; name="a"', 'x'.repeat(9 * MIB))}--b--\r\n`,
    [400, 422],
  ],
  ['near misses of a boundary', `${'-'.repeat(60)}x`, `${'\r\n--'.padEnd(60, '-')}`.repeat(100_000), [400, 422]],
  ['a boundary of 15,000 characters', 'b'.repeat(15_000), 'x', [400, 415, 422]],
  ['a form in a form', 'b', part('Content-Type: multipart/mixed; boundary=b').repeat(1_000), [400, 422]],
  ['a file name of 100,000 quotes', 'b', part(`${FILE}; filename*=utf-8''${'%'.repeat(50_000)}`), [200, 400, 422]],
];

const forms: readonly EngineAttack[] = FORMS.map(([name, boundary, body, statuses]) => ({
  engine: '@fastify/busboy',
  name,
  statuses,
  run: ({ call, directory }) =>
    call(`/v2/fs/upload?path=${encodeURIComponent(`${directory}/form`)}`, {
      method: 'POST',
      body,
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    }),
}));

export const TEXTS: readonly EngineAttack[] = [...yaml, ...jsonTexts, ...patterns, ...code, ...forms];

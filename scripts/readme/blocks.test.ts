import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../root.ts';

const SCENARIO = 'e2e/scenarios/recipes.test.ts';
const IMAGE = 'e2e/images/recipes.test.ts';
const CLIENTS = 'e2e/clients/recipes.test.ts';
const GUIDE = 'e2e/scenarios/readme.test.ts';
const SNIPPETS = 'e2e/scenarios/snippets.test.ts';
const EMBEDDED = 'e2e/conditions/bundle.test.ts';

/** A block that no test runs begins so, with the reason. */
const NOT_RUN = 'not run: ';
const INSTALLS = `${NOT_RUN}pip installs a package of this repository; its tests take the sources`;

/** The fenced blocks of a document in their order: language, and the test that runs the block. */
const BLOCKS: Readonly<Record<string, readonly (readonly [language: string, test: string])[]>> = {
  'README.md': [
    ['sh', 'e2e/scenarios/start.test.ts'],
    ['sh', 'e2e/images/readme.test.ts'],
    ['sh', EMBEDDED],
    ['sh', GUIDE],
    ['sh', SNIPPETS],
    ['python', 'e2e/scenarios/e2b.test.ts'],
    ['python', 'e2e/scenarios/e2b.test.ts'],
    ['ts', SNIPPETS],
    ['json', SNIPPETS],
  ],
  'docs/getting-started.md': [
    ['sh', 'e2e/images/readme.test.ts'],
    ['sh', 'e2e/images/readme.test.ts'],
    ['sh', GUIDE],
    ['ts', GUIDE],
    ...Array.from({ length: 6 }, () => ['sh', GUIDE] as const),
  ],
  'docs/recipes/behind-tls.md': [
    ['nginx', IMAGE],
    ['bash', CLIENTS],
    ['sh', IMAGE],
    ['sh', IMAGE],
  ],
  'docs/recipes/browser-agent.md': Array.from({ length: 4 }, () => ['sh', IMAGE]),
  'docs/recipes/cloudflare.md': [['python', CLIENTS]],
  'docs/recipes/coding-agent.md': Array.from({ length: 4 }, () => ['sh', SCENARIO]),
  'docs/recipes/computer-use.md': [
    ['bash', CLIENTS],
    ['bash', INSTALLS],
    ['sh', IMAGE],
  ],
  'docs/recipes/data-analysis.md': Array.from({ length: 3 }, () => ['sh', SCENARIO]),
  'docs/recipes/deepagents.md': [
    ['sh', INSTALLS],
    ['python', `${NOT_RUN}its model needs an account; e2e/clients/deepagents runs the backend`],
  ],
  'docs/recipes/e2b.md': [
    ['sh', CLIENTS],
    ['bash', CLIENTS],
    ['python', CLIENTS],
    ['ts', CLIENTS],
  ],
  'docs/recipes/evaluation.md': Array.from({ length: 3 }, () => ['sh', SCENARIO]),
  'docs/recipes/inspect.md': [
    ['sh', INSTALLS],
    ['python', CLIENTS],
  ],
  'docs/recipes/mcp-editor.md': [
    ['json', SCENARIO],
    ['json', SCENARIO],
    ['sh', SCENARIO],
  ],
  'docs/recipes/own-image.md': [
    ['dockerfile', IMAGE],
    ['dockerfile', EMBEDDED],
    ['bash', EMBEDDED],
    ['sh', EMBEDDED],
  ],
  'docs/recipes/swe-rex.md': [
    ['bash', CLIENTS],
    ['python', CLIENTS],
  ],
  'docs/recipes/warm-pool.md': [
    ['bash', CLIENTS],
    ['sh', SCENARIO],
    ['sh', SCENARIO],
  ],
  'docs/recipes/web-preview.md': Array.from({ length: 3 }, () => ['sh', SCENARIO]),
};

const read = (file: string): Promise<string> => readFile(join(ROOT, file), 'utf8');

test('each block of the README, the guide and the recipes is run by a test, or has the reason why not', async () => {
  for await (const file of glob('{README.md,docs/getting-started.md,docs/recipes/*.md}', { cwd: ROOT })) {
    const languages = [...(await read(file)).matchAll(/^```([a-z]+)$/gm)].map(([, language]) => language);
    expect([file, languages]).toEqual([file, BLOCKS[file]?.map(([language]) => language)]);
  }
  for (const [file, blocks] of Object.entries(BLOCKS)) {
    expect([file, existsSync(join(ROOT, file))]).toEqual([file, true]);
    const recipe = /recipes\/(.*)\.md$/.exec(file)?.[1];
    for (const [, by] of blocks.filter(([, text]) => !text.startsWith(NOT_RUN))) {
      expect([by, await read(by)]).toEqual([by, expect.stringContaining(recipe ? `'${recipe}` : 'test')]);
    }
  }
});

test('each picture of the README is made by npm run docs:pictures', async () => {
  const made = await read('scripts/pictures.ts');
  const pictures = [...(await read('README.md')).matchAll(/\]\(docs\/pictures\/([^)]+)\.png\)/g)].map(
    ([, name]) => name,
  );
  expect(pictures).toHaveLength(2);
  expect(pictures.filter((name) => !made.includes(`save(page, '${name}')`))).toEqual([]);
});

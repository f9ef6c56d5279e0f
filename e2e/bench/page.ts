import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../scripts/root.ts';
import { BENCHMARKS } from './benchmarks/index.ts';
import { figuresPage } from './harness/figures-page.ts';

const file = join(ROOT, 'docs/benchmarks.md');
await writeFile(file, figuresPage(await readFile(file, 'utf8'), undefined, BENCHMARKS));

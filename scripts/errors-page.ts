import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorAnswers } from './errors/error-answers.ts';
import { errorsPage } from './errors/errors-page.ts';
import { ROOT } from './root.ts';

await writeFile(join(ROOT, 'docs/errors.md'), errorsPage(await errorAnswers()));

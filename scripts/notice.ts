// Writes NOTICE: the packages of npm that the images, the bundle and the client contain, with their licences.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { noticeOf } from './readme/notice.ts';
import { ROOT } from './root.ts';

await writeFile(join(ROOT, 'NOTICE'), noticeOf(await readFile(join(ROOT, 'package-lock.json'), 'utf8')));

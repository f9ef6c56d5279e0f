import { expect, test } from 'vitest';
import { tempDir } from '../../../scripts/testing/temp-dir.ts';
import { Services } from '../../services.ts';
import { fetchTasks, heyTasks, pythonTasks } from './generators.ts';

const KEY = 'the-key';
const ANSWERS = ['one 3 completed', 'two', '6', 'three', 'three.txt', '1', 'seven', 'seven', 'stdout nine', 'ten open'];

test.each([
  ['hey-api/openapi-ts', async (url: string, directory: string) => (await heyTasks()).tenTasks(url, KEY, directory)],
  [
    'openapi-typescript with openapi-fetch',
    async (url: string, directory: string) => (await fetchTasks()).tenTasks(url, KEY, directory),
  ],
  ['openapi-python-client', (url: string, directory: string) => pythonTasks(url, KEY, directory)],
] as const)(
  'a client of %s compiles without an error and does ten tasks',
  { timeout: 600_000 },
  async (_name, tasks) => {
    await using directory = await tempDir();
    await using services = await Services.start({ SVC_API_KEY: KEY });
    expect(await tasks(services.url, directory.path)).toEqual(ANSWERS);
  },
);

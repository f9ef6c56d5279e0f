import { performance } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { imagesHint } from './images-hint.ts';

const HAVE = 'the images have a browser, a desktop and editors too';
const WAY = 'npm run images, then docker run as in README.md';

test.each([
  ['answers', ['true'], WAY],
  ['does not answer', ['false'], 'start Docker, which does not answer, then npm run images'],
  ['hangs', ['sleep', '60'], 'start Docker, which does not answer, then npm run images'],
  ['is missing', ['/no/such/docker'], 'install Docker, then npm run images'],
])('where Docker %s, one line says how to get the images', async (_what, docker, way) => {
  const began = performance.now();
  expect(await imagesHint(docker, false, new AbortController().signal)).toBe(`${HAVE}: ${way}`);
  expect(performance.now() - began).toBeLessThan(50_000);
});

test('where npm run images brings an engine, the line says the command alone', async () => {
  expect(await imagesHint(['/no/such/docker'], true, new AbortController().signal)).toBe(`${HAVE}: ${WAY}`);
});

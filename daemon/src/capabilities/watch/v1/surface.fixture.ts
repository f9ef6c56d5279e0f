import type { Surface } from '../watch-bench.fixture.ts';

export const V1: Surface = {
  prefix: '/v1/file',
  pollMethod: 'POST',
  cursorField: 'since',
  fileFailure: () => 200,
};

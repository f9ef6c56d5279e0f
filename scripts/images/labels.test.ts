import { expect, test } from 'vitest';
import { dockerfileFor } from './health-check.ts';
import { publicUrl } from './labels.ts';

test.each([
  ['https://user:secret@git.example/a/b.git', 'https://git.example/a/b'],
  ['git@git.example:a/b.git', 'https://git.example/a/b'],
  ['/srv/repository', undefined],
  [undefined, undefined],
])('the remote %s is the source %s', (remote, source) => {
  expect(publicUrl(remote)).toBe(source);
});

const CHECK = 'HEALTHCHECK --interval=1s --timeout=5s --start-period=20s --retries=10 CMD ["check"]';

test('an engine from 25 on looks often only while the container starts; another Dockerfile is refused', () => {
  expect(dockerfileFor('20.10.24+dfsg1', CHECK)).toBe(CHECK);
  expect(dockerfileFor('24.0.9', CHECK)).toBe(CHECK);
  for (const engine of ['25.0.0', '28.2.2']) {
    expect(dockerfileFor(engine, CHECK)).toMatch(
      /^HEALTHCHECK --interval=10s --start-interval=500ms .*CMD \["check"\]$/,
    );
  }
  expect(() => dockerfileFor('28.2.2', 'FROM x')).toThrow('another health check');
});

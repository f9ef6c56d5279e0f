import { expect, test } from 'vitest';
import { createLogger } from './logger.ts';

function linesOf(key: string, log: (logger: ReturnType<typeof createLogger>) => void): Record<string, unknown>[] {
  const lines: string[] = [];
  log(createLogger('test', 'info', [key], { write: (line) => void lines.push(line) }));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('[secret.log] a key is redacted wherever a text of a line has it, as it is, quoted or percent-encoded', () => {
  const key = 'a "key"/\u00fc';
  const [line] = linesOf(key, (logger) =>
    logger.info({ url: `/x?api_key=${encodeURIComponent(key)}`, deep: [{ [key]: `<${key}>` }] }, `with ${key}`),
  );
  expect(line).toMatchObject({
    url: '/x?api_key=[redacted]',
    deep: [{ '[redacted]': '<[redacted]>' }],
    msg: 'with [redacted]',
  });
});

test('[secret.log] a key of digits leaves the numbers of a line, and the line is JSON', () => {
  const [line] = linesOf('8080', (logger) => logger.info({ port: 8080, address: ':8080' }, 'listening'));
  expect(line).toMatchObject({ level: 'info', port: 8080, address: ':[redacted]', msg: 'listening' });
});

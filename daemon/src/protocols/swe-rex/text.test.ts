import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { turnsDuring } from '../../http/turns.fixture.ts';
import { Raised } from './answers.ts';
import { decoded, escaped } from './text.ts';

const BACKSLASH = 0x5c;

test('[swe-rex.files] the error handlers of Python say what stands for a byte that is not of the encoding', async () => {
  const utf8 = Buffer.from('a\xffé\\xff', 'latin1');
  expect(await decoded(utf8, 'utf-8', 'backslashreplace')).toBe('a\\xff\\xe9\\xff');
  expect(await decoded(utf8, 'utf-8', 'ignore')).toBe('a\\xff');
  expect(await decoded(utf8, 'utf-8', 'replace')).toBe('a\ufffd\ufffd\\xff');
  expect(await decoded(Buffer.from('e2829ce282', 'hex'), 'utf-8', 'replace')).toBe('\u209c\ufffd');
  const text = Buffer.from('zoé\r\n');
  expect(await decoded(text, 'ascii', 'replace')).toBe('zo\ufffd\ufffd\n');
  expect(await decoded(text, 'ascii', 'ignore')).toBe('zo\n');
  expect(await decoded(text, 'ascii', 'backslashreplace')).toBe('zo\\xc3\\xa9\n');
  await expect(decoded(text, 'ascii', 'strict')).rejects.toThrow(Raised);
  for (const unknown of ['constructor', '__proto__', 'surrogateescape']) {
    await expect(decoded(text, 'ascii', unknown)).rejects.toMatchObject({ raised: 'LookupError' });
  }
});

test('[swe-rex.execute] binary output of megabytes lets other requests have their turns', async () => {
  const noise = randomBytes(1_500_000).map((byte) => (byte === BACKSLASH ? 0 : byte));
  const bytes = Buffer.concat([noise, Buffer.from('😀'.repeat(50_000))]);
  let text = '';
  const turns = await turnsDuring(async () => {
    text = await escaped(bytes);
  });
  expect(turns).toBeGreaterThan(2);
  const back = text.replaceAll(/[^\0-\x7f]+/g, (all) => Buffer.from(all).toString('latin1'));
  const whole = back.replaceAll(/\\x([89a-f][0-9a-f])/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  expect(Buffer.from(whole, 'latin1').equals(bytes)).toBe(true);
});

test('[swe-rex.files] characters and line breaks on the edge of a piece are whole', async () => {
  for (const before of [65_530, 65_531, 65_532, 65_533, 65_534, 65_535]) {
    const text = `${'x'.repeat(before)}\r\n😀\r\r\né\r`;
    const wanted = `${'x'.repeat(before)}\n😀\n\né\n`;
    const bytes = Buffer.from(text);
    expect(await decoded(bytes, 'utf-8', 'strict')).toBe(wanted);
    expect(await decoded(Buffer.concat([bytes, Buffer.from([0xff])]), 'utf-8', 'backslashreplace')).toBe(
      `${wanted}\\xff`,
    );
    expect(await decoded(Buffer.concat([bytes, Buffer.from([0xff])]), 'utf-8', 'replace')).toBe(`${wanted}\ufffd`);
    expect(await decoded(Buffer.from(`${'x'.repeat(before)}\r\né\r\n`, 'latin1'), 'latin-1', 'strict')).toBe(
      `${'x'.repeat(before)}\né\n`,
    );
  }
});

test('[swe-rex.files] a long file lets other requests have their turns, whatever its encoding', async () => {
  const noise = randomBytes(8_000_000);
  // Much faster to decode: as many bytes would be done within a turn or two.
  const long = Buffer.alloc(64_000_000, noise);
  for (const [bytes, encoding, errors] of [
    [noise, 'utf-8', 'replace'],
    [long, 'latin-1', 'strict'],
  ] as const) {
    const turns = await turnsDuring(async () => void (await decoded(bytes, encoding, errors)));
    expect([encoding, turns > 2]).toEqual([encoding, true]);
  }
});

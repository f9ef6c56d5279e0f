import { describe, expect, test } from 'vitest';
import { TestApp } from '../../../app.fixture.ts';
import { alternate } from '../output.fixture.ts';

describe('excerpts of the output', () => {
  test('[cmd.max-output-length] they leave out the middle of each stream', async () => {
    await using daemon = await TestApp.start();
    const data = await daemon.run('seq 1 1000; echo err >&2', { max_output_length: 20 });
    expect(data.stdout).toBe('1\n2\n3\n4\n5\n\n[... 3873 bytes left out ...]\n\n999\n1000\n');
    expect(data).toMatchObject({ stderr: 'err\n', truncated: true, offset: 3893 });
    expect(data.output).toBe(`${data.stdout}err\n`);
  });

  test('[cmd.max-output-default] they hold 50,000 bytes by default', async () => {
    await using daemon = await TestApp.start();
    const exact = await daemon.run('head -c 50000 /dev/zero | tr "\\0" x');
    expect([exact.stdout.length, exact.truncated]).toEqual([50_000, false]);
    const over = await daemon.run('head -c 50001 /dev/zero | tr "\\0" x');
    expect(over.stdout).toMatch(/^x{25000}\n\[\.\.\. 1 bytes left out \.\.\.\]\nx{25000}$/);
    expect(over.truncated).toBe(true);
    const all = await daemon.run('head -c 60000 /dev/zero | tr "\\0" x', { max_output_length: 0 });
    expect([all.stdout.length, all.truncated]).toEqual([60_000, false]);
  });

  test('they do not split sequences', async () => {
    await using daemon = await TestApp.start();
    for (const max_output_length of [7, 8, 9, 10, 11]) {
      const { stdout, output } = await daemon.run(`printf '€%.0s' {1..50}`, { max_output_length });
      expect(stdout).toMatch(/^€+\n\[\.\.\. \d+ bytes left out \.\.\.\]\n€+$/);
      expect(output).toBe(stdout);
    }
  });

  test('alternating streams are cut separately and stay in order', async () => {
    await using daemon = await TestApp.start();
    const { output } = await alternate(daemon, 6, { max_output_length: 12 });
    expect(output).toBe('o1\ne1\no2\ne2\n\n[... 6 bytes left out ...]\n\n[... 6 bytes left out ...]\no5\ne5\no6\ne6\n');
  });

  test('they take at most 8 MiB of JSON each, so that control characters do not stop the daemon', async () => {
    await using daemon = await TestApp.start();
    const data = await daemon.run('head -c 6000000 /dev/zero; echo end', { max_output_length: 0 });
    const half = 4 * 1024 ** 2;
    const [head, tail] = [Math.floor(half / 6), Math.floor((half - Buffer.byteLength('end\\n')) / 6)];
    const leftOut = `\n[... ${6_000_000 - head - tail} bytes left out ...]\n`;
    expect(data.stdout).toBe(`${'\0'.repeat(head)}${leftOut}${'\0'.repeat(tail)}end\n`);
    expect(data.truncated).toBe(true);
    expect(JSON.stringify(data.stdout).length).toBeLessThan(8 * 1024 ** 2 + 100);
    const short = await daemon.run('head -c 2000000 /dev/zero; echo end', { max_output_length: 0 });
    const shortLeftOut = `\n[... ${2_000_000 - head - tail} bytes left out ...]\n`;
    expect(short.stdout).toBe(`${'\0'.repeat(head)}${shortLeftOut}${'\0'.repeat(tail)}end\n`);
    const plain = await daemon.run('head -c 8388608 /dev/zero | tr "\\0" x', { max_output_length: 0 });
    expect([plain.stdout.length, plain.truncated]).toEqual([8 * 1024 ** 2, false]);
  });
});

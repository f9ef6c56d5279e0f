import { expect } from 'vitest';
import { follow, type Output } from './day/follow-execution.ts';

interface Answer {
  readonly execution_id: string;
  readonly status: string;
  readonly stdout: string;
  readonly outputs: readonly Output[];
}

/** The service at its gateway. */
export interface AnalystPlace {
  readonly url: string;
  readonly key: string;
}

const CSV = 'month,sales\nJan,120\nFeb,135\nMar,128\nApr,160\n';

/** Cells of a day with pandas and matplotlib, and of one without them. */
const CELLS = {
  pandas: {
    read: 'import pandas as pd\nframe = pd.read_csv("sales.csv")\nframe',
    plot: 'frame.plot(x="month", y="sale")',
    fixed: 'frame.plot(x="month", y="sales", kind="bar", title="Sales")\nNone',
    sum: 'int(frame.sales.sum())',
  },
  plain: {
    read: 'import csv\nframe = list(csv.DictReader(open("sales.csv")))\nframe',
    plot: '[float(row["sale"]) for row in frame]',
    fixed: `import struct, zlib
from IPython.display import Image, display
def part(kind, data): return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
rows = b"".join(b"\\0" + bytes(0 if x < int(row["sales"]) else 255 for x in range(200)) * 1 for row in frame for _ in range(20))
head = struct.pack(">IIBBBBB", 200, 20 * len(frame), 8, 0, 0, 0, 0)
display(Image(b"\\x89PNG\\r\\n\\x1a\\n" + part(b"IHDR", head) + part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b"")))`,
    sum: 'sum(int(row["sales"]) for row in frame)',
  },
} as const;

/**
 * What an analyst does in one session: reads a table, draws it with a mistake, corrects that, interrupts a long loop
 * that streams its progress, and restarts. Returns the figure as PNG and the table as text.
 */
export async function analyse({ url, key }: AnalystPlace): Promise<{ figure: Buffer; table: string }> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const session = { language: 'python', session_id: 'analysis' };
  const post = async (path: string, body: object) => {
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    expect([path, answer.status]).toEqual([path, 200]);
    return (await answer.json()) as { success: boolean; message: string; data: Answer };
  };
  const cell = async (code: string) => (await post('/v2/code/execute', { ...session, code, timeout: 120 })).data;
  const plainOf = ({ outputs }: Answer) => outputs.find((output) => output.output_type === 'execute_result')?.data;

  const probe = await cell(
    'import importlib.util as u, tempfile, os\nos.chdir(tempfile.mkdtemp())\nu.find_spec("pandas") is not None',
  );
  const cells = plainOf(probe)?.['text/plain'] === 'True' ? CELLS.pandas : CELLS.plain;
  await cell(`open("sales.csv", "w").write(${JSON.stringify(CSV)})`);

  const table = plainOf(await cell(cells.read)) ?? {};
  expect(table['text/plain']).toContain('135');
  if (cells === CELLS.pandas) expect(table['text/html']).toContain('<table');

  const mistake = await post('/v2/code/execute', { ...session, code: cells.plot, timeout: 120 });
  expect([mistake.success, mistake.message]).toEqual([false, "KeyError: 'sale'"]);
  const drawn = await cell(cells.fixed);
  const png = drawn.outputs.find(({ data }) => data?.['image/png'] !== undefined)?.data?.['image/png'] ?? '';
  const figure = Buffer.from(png, 'base64');
  expect(figure.subarray(0, 8)).toEqual(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'));

  const loop = 'import time\nfor epoch in range(10_000):\n    print("epoch", epoch, flush=True)\n    time.sleep(0.05)';
  const { execution_id } = (await post('/v2/code/execute', { ...session, code: loop, async: true, timeout: 600 })).data;
  await follow(`${url}/v2/code/executions/${execution_id}`, key, 'epoch 3\n');
  await post('/v2/code/sessions/analysis/interrupt', {});
  const rest = (await follow(`${url}/v2/code/executions/${execution_id}`, key)).join('');
  expect(rest).toContain('epoch 3\n');
  expect(rest).toContain('KeyboardInterrupt');
  expect(plainOf(await cell(cells.sum))?.['text/plain']).toBe('543');

  await post('/v2/code/sessions/analysis/restart', {});
  expect((await cell('frame')).outputs[0]?.ename).toBe('NameError');
  return { figure, table: table['text/plain'] ?? '' };
}

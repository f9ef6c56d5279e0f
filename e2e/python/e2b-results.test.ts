import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApp } from '../../daemon/src/app.fixture.ts';
import { tempDir } from '../../scripts/testing/temp-dir.ts';
import { NOTEBOOK_PYTHON } from '../setup/notebook-python.ts';

const before = process.env['PATH'];
beforeAll(() => {
  process.env['PATH'] = `${join(NOTEBOOK_PYTHON, 'bin')}:${before}`;
});
afterAll(() => {
  process.env['PATH'] = before;
});

type Event = Readonly<Record<string, unknown>>;

/** Events of a cell, as E2B's code interpreter reads them. */
async function execute(daemon: TestApp, code: string): Promise<{ readonly text: string; readonly events: Event[] }> {
  const { body } = await daemon.post('/compat/e2b/execute', { code });
  const lines = body.split('\n').filter((line) => line !== '');
  return { text: body, events: lines.map((line) => JSON.parse(line) as Event) };
}

async function results(daemon: TestApp, code: string): Promise<Event[]> {
  const { events } = await execute(daemon, code);
  expect(events.filter(({ type }) => type === 'error')).toEqual([]);
  return events.filter(({ type }) => type === 'result');
}

const PLT = 'import matplotlib.pyplot as plt\n';
const PICTURE = expect.stringMatching(/^iVBOR/);

test('[e2b.figures] a figure is a picture with its text and its chart, shown or as the last expression', async () => {
  await using daemon = await TestApp.start();
  const expected = { png: PICTURE, text: expect.stringContaining('Figure size'), chart: { type: 'line' }, extra: {} };
  expect(await results(daemon, `${PLT}plt.plot([1, 2])\nplt.show()`)).toMatchObject([expected]);
  const last = await results(daemon, 'fig, ax = plt.subplots()\nax.plot([1, 2])\nfig');
  expect(last).toMatchObject([{ ...expected, is_main_result: true }]);
  const unshown = await results(daemon, 'plt.plot([3, 4])');
  expect(unshown.filter(({ png }) => png)).toMatchObject([{ ...expected, is_main_result: false }]);
});

const DATES = 'import datetime\ndays = [datetime.date(2024, 1, 1 + n) for n in range(3)]\n';
const BOXES = 'data = [[85, 90, 78, 92, 88], [95, 89, 76, 91, 84, 87]]\nfig, ax = plt.subplots()\n';

/** Code that draws, and its chart. */
const CHARTS: readonly (readonly [string, string, object])[] = [
  [
    'a line, with units, a rule across it and a title',
    'plt.plot([0, 1, 2.5], [1, 4, 9], label="v")\nplt.axhline(3)\nplt.xlabel("Time (s)")\nplt.ylabel("Level [dB]")\nplt.title("T")',
    {
      type: 'line',
      title: 'T',
      x_label: 'Time (s)',
      x_unit: 's',
      y_label: 'Level [dB]',
      y_unit: 'dB',
      x_scale: 'linear',
      y_scale: 'linear',
      elements: [
        {
          label: 'v',
          points: [
            [0, 1],
            [1, 4],
            [2.5, 9],
          ],
        },
      ],
    },
  ],
  [
    'a line without a label, with a value that is not a number, on a logarithmic scale',
    'plt.plot([1, 2], [float("nan"), 10])\nplt.yscale("log")',
    {
      type: 'line',
      title: null,
      y_scale: 'log',
      elements: [
        {
          label: 'Line 0',
          points: [
            [1, null],
            [2, 10],
          ],
        },
      ],
    },
  ],
  [
    'dates',
    `${DATES}plt.plot(days, [1, 2, 3])`,
    {
      x_scale: 'datetime',
      x_ticks: expect.arrayContaining([expect.stringMatching(/^2024-01-01T00:00:00/)]),
      elements: [
        {
          points: [
            ['2024-01-01', 1],
            ['2024-01-02', 2],
            ['2024-01-03', 3],
          ],
        },
      ],
    },
  ],
  [
    'names on an axis',
    'plt.plot([1, 2], ["A", "B"])',
    {
      y_scale: 'categorical',
      y_tick_labels: ['A', 'B'],
      elements: [
        {
          points: [
            [1, 'A'],
            [2, 'B'],
          ],
        },
      ],
    },
  ],
  [
    'points',
    'plt.scatter([1, 2], [3, 4], label="a")\nplt.scatter([5], [6], label="b")',
    {
      type: 'scatter',
      elements: [
        {
          label: 'a',
          points: [
            [1, 3],
            [2, 4],
          ],
        },
        { label: 'b', points: [[5, 6]] },
      ],
    },
  ],
  [
    'bars',
    'plt.bar(["x", "y"], [10, 0.5], label="n")\nplt.ylabel("Number")',
    {
      type: 'bar',
      y_label: 'Number',
      elements: [
        { label: 'x', group: 'n', value: 10 },
        { label: 'y', group: 'n', value: 0.5 },
      ],
    },
  ],
  [
    'bars that lie, whose axes are named as if they stood',
    'plt.barh(["x", "y"], [10, 10])\nplt.ylabel("Name")',
    {
      type: 'bar',
      x_label: 'Name',
      y_label: null,
      elements: [
        { label: 'x', group: 'Group 0', value: 10 },
        { label: 'y', group: 'Group 0', value: 10 },
      ],
    },
  ],
  [
    'groups of bars by pandas',
    'import pandas as pd\npd.DataFrame({"u": [1, 2], "v": [3, 4]}, index=["p", "q"]).plot.bar()\nNone',
    {
      type: 'bar',
      elements: [
        { label: 'p', group: 'u', value: 1 },
        { label: 'q', group: 'u', value: 2 },
        { label: 'p', group: 'v', value: 3 },
        { label: 'q', group: 'v', value: 4 },
      ],
    },
  ],
  [
    'a pie',
    'plt.pie([90, 10], labels=["No", "Yes"], autopct="%1.1f%%", startangle=90)\nNone',
    {
      type: 'pie',
      elements: [
        { label: 'No', angle: 324, radius: 1 },
        { label: 'Yes', angle: 36, radius: 1 },
      ],
    },
  ],
  [
    'boxes',
    `${BOXES}ax.boxplot(data, patch_artist=True)\nax.set_xticklabels(["A", "B"])\nNone`,
    {
      type: 'box_and_whisker',
      elements: [
        { label: 'A', min: 78, first_quartile: 85, median: 88, third_quartile: 90, max: 92, outliers: [] },
        { label: 'B', min: 84, first_quartile: 84.75, median: 88, third_quartile: 90.5, max: 95, outliers: [76] },
      ],
    },
  ],
  [
    'boxes that lie',
    `${BOXES}ax.boxplot(data, patch_artist=True, orientation="horizontal")\nNone`,
    {
      type: 'box_and_whisker',
      elements: [
        { label: '1', median: 88 },
        { label: '2', median: 88, outliers: [76] },
      ],
    },
  ],
  [
    'several axes',
    'fig, (one, two) = plt.subplots(1, 2)\nfig.suptitle("Both")\none.plot([1, 2])\none.grid(True)\ntwo.scatter([1], [2])\nNone',
    { type: 'superchart', title: 'Both', elements: [{ type: 'line' }, { type: 'scatter' }] },
  ],
  ['anything else', 'plt.imshow([[1, 2], [3, 4]])\nplt.colorbar()\nNone', { type: 'unknown', elements: [] }],
];

test('[e2b.charts] charts have the kinds, labels, scales and values of the figure', async () => {
  await using daemon = await TestApp.start();
  for (const [name, code, chart] of CHARTS) {
    const drawn = (await results(daemon, `${PLT}${code}`)).filter(({ png }) => png);
    expect([name, drawn]).toEqual([name, [expect.objectContaining({ png: PICTURE, chart: expect.anything() })]]);
    expect([name, drawn[0]?.['chart']]).toMatchObject([name, chart]);
  }
  const numbers = await execute(daemon, 'plt.plot([1.0, 2.0], [3, 4])\nplt.show()');
  expect(numbers.text).toContain('[[1.0, 3.0], [2.0, 4.0]]');
});

test('[e2b.charts] a figure without values, and one with too many, are pictures without a chart', async () => {
  await using daemon = await TestApp.start();
  for (const code of ['plt.subplots()\nplt.show()', 'plt.plot(range(300_000))\nplt.show()']) {
    const [picture, ...rest] = await results(daemon, `${PLT}${code}`);
    expect([picture?.['png'], picture && 'chart' in picture, rest]).toEqual([PICTURE, false, []]);
  }
});

test('[e2b.data] a frame is text, HTML and data; lists and dictionaries are JSON', async () => {
  await using daemon = await TestApp.start();
  const frame =
    'import pandas as pd\npd.DataFrame({"a": [1, 2**60], "b": [1.0, float("nan")], ("c", 1): pd.to_datetime(["2024-01-02", None])})';
  const { events, text } = await execute(daemon, frame);
  expect(events[0]).toMatchObject({ text: expect.stringContaining('NaT'), html: expect.stringContaining('<table') });
  expect(text).toContain(
    `"data":{"a": [1, ${2n ** 60n}], "b": [1.0, null], "('c', 1)": ["2024-01-02T00:00:00", null]}`,
  );
  const large = await results(daemon, 'pd.DataFrame({"a": range(300_000)})');
  expect(large).toMatchObject([{ html: expect.stringContaining('<table') }]);
  expect(large[0]).not.toHaveProperty('data');
  const value = 'import numpy as np\n{"list": [1, 2.5, None, True], "numbers": np.array([1, 2]), 3: "three"}';
  expect(await results(daemon, value)).toMatchObject([
    { text: expect.stringContaining('list'), json: { list: [1, 2.5, null, true], numbers: [1, 2], '3': 'three' } },
  ]);
  for (const other of ['[object()]', '{(1, 2): 3}', '1', '"text"']) {
    const [result] = await results(daemon, other);
    expect([other, result && 'json' in result]).toEqual([other, false]);
  }
});

test('[e2b.pictures] pictures of PIL are shown without a display, and when they are saved', async () => {
  await using place = await tempDir();
  await using daemon = await TestApp.start();
  const picture = 'from PIL import Image\nimage = Image.new("RGB", (4, 4))\n';
  for (const code of [`${picture}image.show()`, `${picture}image`]) {
    expect(await results(daemon, code)).toMatchObject([{ png: PICTURE }]);
  }
  const path = join(place.path, 'saved.png');
  expect(await results(daemon, `image.save("${path}")`)).toMatchObject([{ png: PICTURE }]);
  expect(readFileSync(path).subarray(1, 4).toString()).toBe('PNG');
});

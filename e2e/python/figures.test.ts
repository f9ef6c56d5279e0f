import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApp } from '../../daemon/src/app.fixture.ts';
import { python, type Result } from '../../daemon/src/capabilities/code/cells.fixture.ts';
import { NOTEBOOK_PYTHON } from '../setup/notebook-python.ts';

const before = process.env['PATH'];
beforeAll(() => {
  process.env['PATH'] = `${join(NOTEBOOK_PYTHON, 'bin')}:${before}`;
});
afterAll(() => {
  process.env['PATH'] = before;
});

const typesOf = ({ outputs }: Result) =>
  outputs.map(({ data }) =>
    Object.keys(data ?? {})
      .sort()
      .join(' '),
  );
const pictures = (result: Result) => result.outputs.filter(({ data }) => data?.['image/png'] !== undefined).length;

/** Cells, and how many pictures they give. */
const FIGURES: readonly (readonly [string, number])[] = [
  ['import matplotlib.pyplot as plt\nplt.plot([1, 3, 2])', 1],
  ['plt.plot([1, 3, 2])\nplt.show()', 1],
  ['fig, ax = plt.subplots()\nax.plot([1, 2])\ndisplay(fig)', 1],
  ['fig, ax = plt.subplots()\nax.plot([1, 2])\nfig', 1],
  ['fig, ax = plt.subplots()\nax.plot([1, 2])\ndisplay(fig)\nax.plot([2, 1])\nNone', 2],
  ['fig', 1],
  ['plt.plot([1])\nplt.close()', 0],
  ['plt.figure(); plt.plot([1]); plt.figure(); plt.plot([2]);', 2],
  ['plt.plot([1, 2])\n1 / 0', 1],
  ['None', 0],
  ['from matplotlib.figure import Figure\nown = Figure()\nown.subplots().plot([1])\ndisplay(own)', 1],
  ['import pandas as pd\npd.DataFrame({"a": [1, 2]}).plot()', 1],
  ['import seaborn as sns\nsns.lineplot(x=[1, 2], y=[3, 4])', 1],
  ['from PIL import Image\nImage.new("RGB", (4, 4))', 1],
  [
    'from matplotlib.animation import FuncAnimation\nfig, ax = plt.subplots()\nline, = ax.plot([1, 2])\nmoving = FuncAnimation(fig, lambda i: line.set_ydata([i, 2]), frames=2)\n_ = moving.to_jshtml()',
    1,
  ],
];

async function draw(daemon: TestApp, session: string, cells = FIGURES): Promise<void> {
  for (const [code, count] of cells) {
    expect([code, pictures(await python(daemon, code, { session_id: session }))]).toEqual([code, count]);
  }
}

async function withZygote(daemon: TestApp): Promise<void> {
  await python(daemon, '1');
  const zygotes = async () => /^code_zygotes (\d+)/m.exec((await daemon.inject('/metrics')).body)?.[1];
  await expect.poll(zygotes, { timeout: 60_000 }).toBe('1');
}

/** The row that every run has is the one with most imported before the fork. */
const PRELOADS = [
  ...(process.env['TEST_EXTENT'] === 'whole' ? [{ kernelPreload: [] }, { kernelPreload: ['matplotlib'] }] : []),
  { kernelPreload: ['matplotlib.pyplot', 'pandas'] },
];

describe('figures', () => {
  test('[code.figures] open figures are pictures, once, in a kernel of its own', async () => {
    await using daemon = await TestApp.start();
    await draw(daemon, 's');
  });

  test.for(PRELOADS)(
    '[code.figures-late] in forked kernels, with $kernelPreload imported ahead',
    async ({ kernelPreload }) => {
      await using daemon = await TestApp.start({ kernelPreload, processHost: 'portable' });
      await withZygote(daemon);
      const code =
        'import matplotlib.pyplot as plt, os\nplt.plot([1, 2])\n"-f" not in open("/proc/self/cmdline").read().split("\\0")';
      const cell = await python(daemon, code);
      expect([cell.outputs[0]?.data?.['text/plain'], pictures(cell)]).toEqual(['True', 1]);
    },
  );

  test('[code.figures-late] without matplotlib_inline, and with a backend of its own', async () => {
    await using daemon = await TestApp.start();
    const hide = 'import sys\nsys.modules.pop("matplotlib_inline", None)\n';
    expect(pictures(await python(daemon, `${hide}import matplotlib.pyplot as plt\nplt.plot([1])`))).toBe(1);
    const env = { MPLBACKEND: 'module://svc_figures' };
    const cell = async (code: string) => pictures(await python(daemon, code, { session_id: 'own', env }));
    expect(await cell('import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()')).toBe(1);
    expect(await cell('plt.figure(); plt.plot([1]); plt.figure(); plt.plot([2]);')).toBe(2);
    expect(await cell('plt.plot([1])\nplt.close()')).toBe(0);
    const chosen = 'import matplotlib\nmatplotlib.use("agg")\nimport matplotlib.pyplot as plt\nplt.plot([1]);';
    expect(pictures(await python(daemon, chosen))).toBe(0);
  });
});

/** Kinds of values as docs/code.md lists them: the types of each output. */
const KINDS: readonly (readonly [string, readonly string[]])[] = [
  ['import pandas as pd\npd.DataFrame({"a": [1]})', ['text/html text/plain']],
  ['from PIL import Image\nImage.new("RGB", (4, 4))', ['image/jpeg image/png text/plain']],
  ['import plotly.express as px\npx.line(x=[1, 2], y=[1, 2])', ['application/vnd.plotly.v1+json']],
  ['import ipywidgets\nipywidgets.IntSlider()', ['application/vnd.jupyter.widget-view+json text/plain']],
  [
    'from tqdm.notebook import tqdm\nfor _ in tqdm(range(3)): pass',
    ['application/vnd.jupyter.widget-view+json text/plain'],
  ],
  [
    `from IPython.display import SVG, Markdown, Latex, HTML\nSVG('<svg xmlns="http://www.w3.org/2000/svg"/>')`,
    ['image/svg+xml text/plain'],
  ],
  ['Markdown("# a")', ['text/markdown text/plain']],
  ['Latex("$x$")', ['text/latex text/plain']],
  ['HTML("<b>b</b>")', ['text/html text/plain']],
  ['"x" * 100_000', ['text/plain']],
];

test('[code.value-kinds] each kind of value gives the outputs of the table', async () => {
  await using daemon = await TestApp.start();
  for (const [code, types] of KINDS) {
    const cell = await python(daemon, code, { session_id: 'kinds' });
    expect([code, typesOf(cell).filter((type) => type !== '')]).toEqual([code, types]);
  }
  const failed = await python(daemon, '1 / 0', { session_id: 'kinds' });
  expect(failed.outputs).toMatchObject([{ output_type: 'error', ename: 'ZeroDivisionError' }]);
});

/** A cell of the day, and what it gives. */
export interface DayCell {
  readonly name: string;
  readonly code: string;
  /** Cells whose variables it uses, in their order, for routes that keep none. */
  readonly needs?: readonly string[];
  /** Parts of its text: streams, values, tracebacks. */
  readonly shows?: readonly string[];
  /** Its value is a table of HTML. */
  readonly isTable?: boolean;
  readonly pictures?: number;
  /** Name of the error that it raises. */
  readonly error?: string;
  /** It runs until it is interrupted. */
  readonly isEndless?: boolean;
  /** It prints this when it begins and that at its end. */
  readonly progress?: readonly [string, string];
  /** In a session of its own. */
  readonly isElsewhere?: boolean;
}

/** Before anything is installed. */
export const FIRST: DayCell = { name: 'first', code: 'print("ready")', shows: ['ready'] };
export const MISSING: DayCell = { name: 'missing', code: 'import pandas', error: 'ModuleNotFoundError' };

const IMPORTS = ['imports'];
const FRAME = [...IMPORTS, 'read'];

/** After the installation. @param install a list in Python: the command that installs tqdm from a cell */
export const dayCells = (install: string): readonly DayCell[] => [
  {
    name: 'imports',
    code: 'import numpy as np\nimport pandas as pd\nimport matplotlib.pyplot as plt\npd.__name__',
    shows: ["'pandas'"],
  },
  {
    name: 'write',
    code: `from pathlib import Path
rows = [f"2024-{month:02d}-01,{100 + 5 * month}" for month in range(1, 13)]
Path("sales.csv").write_text("\\n".join(["month,sales", *rows, ""]))`,
    shows: ['192'],
  },
  {
    name: 'read',
    code: 'frame = pd.read_csv("sales.csv", parse_dates=["month"])\nframe.head(3)',
    needs: IMPORTS,
    shows: ['105', '2024-03-01'],
    isTable: true,
  },
  { name: 'describe', code: 'frame.describe()', needs: FRAME, shows: ['mean', '132.5'], isTable: true },
  { name: 'plot', code: 'frame.plot(x="month", y="sales")', needs: FRAME, pictures: 1 },
  {
    name: 'two figures',
    code: 'plt.figure()\nplt.bar(frame.index, frame.sales)\nplt.figure()\nplt.hist(frame.sales);',
    needs: FRAME,
    pictures: 2,
  },
  {
    name: 'fit',
    code: 'slope, start = np.polyfit(frame.index, frame.sales, 1)\nprint(f"slope {slope:.3f}, start {start:.3f}")',
    needs: FRAME,
    shows: ['slope 5.000, start 105.000'],
  },
  { name: 'mistake', code: 'frame.plot(x="month", y="sale")', needs: FRAME, error: 'KeyError' },
  {
    name: 'fixed',
    code: `plt.scatter(frame.index, frame.sales)
plt.plot(frame.index, start + slope * frame.index)
plt.title("Sales")
plt.savefig("fit.png")
plt.show()`,
    needs: [...FRAME, 'fit'],
    pictures: 1,
  },
  {
    name: 'endless',
    code: 'import time\nfor epoch in range(100_000):\n    print("epoch", epoch, flush=True)\n    time.sleep(0.05)',
    shows: ['epoch 3\n', 'KeyboardInterrupt'],
    isEndless: true,
  },
  {
    name: 'kept',
    code: 'import os\nlen(frame), os.path.getsize("fit.png") > 1000',
    needs: FRAME,
    shows: ['(12, True)'],
  },
  {
    name: 'install',
    code: `import subprocess, sys\nsubprocess.run(${install}, check=True).returncode`,
    shows: ['0'],
  },
  {
    name: 'progress',
    code: `import sys, time
from tqdm import tqdm
for step in tqdm(range(20), file=sys.stdout):
    time.sleep(0.05)
print("done")`,
    shows: ['20/20'],
    progress: ['0/20', 'done'],
  },
  {
    name: 'thread',
    code: `import threading, time
found = []
def work():
    time.sleep(0.3)
    found.append(sum(range(1000)))
worker = threading.Thread(target=work)
worker.start()
print("started")`,
    shows: ['started'],
  },
  { name: 'joined', code: 'worker.join()\nfound', needs: ['thread'], shows: ['[499500]'] },
  {
    name: 'subprocess',
    code: `import subprocess
subprocess.run(["sh", "-c", r"printf 'caf\\303'; sleep 0.1; printf '\\251\\n'"])
subprocess.run(["wc", "-l", "sales.csv"], capture_output=True, text=True).stdout`,
    shows: ['café\n', "'13 sales.csv\\n'"],
  },
  { name: 'elsewhere', code: '"frame" in globals()', shows: ['False'], isElsewhere: true },
  {
    name: 'big table',
    code: 'big = pd.DataFrame({"n": range(300_000)})\nbig["square"] = big.n ** 2\nbig',
    needs: IMPORTS,
    shows: ['89999400001', '[300000 rows x 2 columns]'],
    isTable: true,
  },
];

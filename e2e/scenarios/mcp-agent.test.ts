import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Services } from '../services.ts';

const PROGRAM = `def mean(numbers):
    return sum(numbers) / len(numbers)


def median(numbers):
    middle = len(numbers) // 2
    return sorted(numbers)[middle]


def spread(numbers):
    middle = len(numbers) // 2
    return max(numbers) - min(numbers)
`;
const TESTS = `import unittest
from statistic import mean, median


class Tests(unittest.TestCase):
    def test_mean(self):
        self.assertEqual(mean([1, 2, 3]), 2)

    def test_median_of_even_count(self):
        self.assertEqual(median([4, 1, 3, 2]), 2.5)
`;
const RUN_TESTS = 'python3 -m unittest -q tests 2>&1';

interface Step {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

interface Seen {
  readonly text: string;
  readonly isError: boolean;
}

/** What an agent does to mend a failing test. Each step follows from what the one before showed; no model decides. */
function* agent(directory: string): Generator<Step, void, Seen> {
  yield { tool: 'sandbox_get_context', args: {} };
  const failing = yield { tool: 'sandbox_execute_bash', args: { cmd: RUN_TESTS, cwd: directory } };
  const name = matched(/test_([a-z]+)_/, failing.text);
  const found = yield {
    tool: 'sandbox_file_operations',
    args: { action: 'grep', path: directory, pattern: `def ${name}\\b`, include: ['*.py'] },
  };
  const { file, line_number: line } = JSON.parse(found.text).matches[0];
  const view = { command: 'view', path: file, view_range: [line, line + 2] };
  const shown = yield { tool: 'sandbox_str_replace_editor', args: view };
  const [, , first = '', last = ''] = shown.text.split('\n').map((text) => text.replace(/^ *\d+\t/, ''));
  const better = '    middle = len(numbers) // 2\n    ordered = sorted(numbers)\n';
  const edit = (old: string, replacement: string): Step => ({
    tool: 'sandbox_str_replace_editor',
    args: { command: 'str_replace', path: file, old_str: old, new_str: replacement },
  });
  // The line occurs twice: the editor refuses, and the agent takes more of the text.
  const refused = yield edit(`${first}\n`, better);
  if (refused.isError) yield edit(`${first}\n${last}\n`, `${better}${halves()}`);
  yield { tool: 'sandbox_execute_bash', args: { cmd: RUN_TESTS } };
  const code = `import sys; sys.path.insert(0, "${directory}")\nfrom statistic import median\nmedian([3, 1, 2]), median([4, 1])`;
  yield { tool: 'sandbox_execute_code', args: { code, timeout: 60 } };
}

function halves(): string {
  return [
    '    if len(numbers) % 2 == 1:',
    '        return ordered[middle]',
    '    return (ordered[middle - 1] + ordered[middle]) / 2',
    '',
  ].join('\n');
}

function matched(pattern: RegExp, text: string): string {
  const [, part] = pattern.exec(text) ?? [];
  if (part === undefined) throw new Error(`no ${pattern} in ${text}`);
  return part;
}

test('[mcp.agent] an agent mends a failing test with the tools of the hub', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'agent-'));
  await writeFile(join(directory, 'statistic.py'), PROGRAM);
  await writeFile(join(directory, 'tests.py'), TESTS);
  await using services = await Services.start();
  const call = async ({ tool, args }: Step): Promise<Seen> => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: args } };
    const answer = await fetch(`${services.url}/mcp`, { method: 'POST', body: JSON.stringify(message) });
    const { content, isError = false } = ((await answer.json()) as { result: { content: Seen[]; isError?: boolean } })
      .result;
    return { text: content.map(({ text }) => text).join(''), isError };
  };
  const transcript: (Step & Seen)[] = [];
  const steps = agent(directory);
  for (let step = steps.next(); !step.done; ) {
    const seen = await call(step.value);
    transcript.push({ ...step.value, ...seen });
    step = steps.next(seen);
  }
  const words = transcript.map(({ tool, args, text }) => `> ${tool} ${JSON.stringify(args)}\n${text.slice(0, 400)}`);
  process.stdout.write(`${words.join('\n\n')}\n`);
  const [, failing, , , refused, , passing, calculated] = transcript;
  expect(JSON.parse(failing?.text ?? '')).toMatchObject({ exit_code: 1, output: expect.stringContaining('3 != 2.5') });
  expect(refused?.isError).toBe(true);
  expect(JSON.parse(passing?.text ?? '')).toMatchObject({ exit_code: 0, cwd: directory });
  expect(calculated).toMatchObject({ text: expect.stringContaining('(2, 2.5)'), isError: false });
  expect(await readFile(join(directory, 'statistic.py'), 'utf8')).toContain('ordered[middle - 1]');
  await rm(directory, { recursive: true });
});

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { debianProgram } from '../../../scripts/test-all/need.ts';
import type { Benchmark } from '../harness/benchmark.ts';
import { HttpClient, requireOk } from '../testbed/http-client.ts';
import { latencies } from '../testbed/load.ts';
import { startDaemon } from '../testbed/services.ts';
import { treeOfFiles } from '../testbed/trees.ts';

const FILES = 100_000;
const MATCHES = FILES / 1000;
/** The service's own flags for ripgrep: every file up to 1 MiB, hidden and ignored ones too. */
const SAME_FILES = ['--no-config', '--hidden', '--no-ignore', '--max-filesize=1M', '--line-number'];

const RIPGREP = debianProgram('rg', 'searches are held against it', 'ripgrep');

export const search: Benchmark = {
  name: 'search',
  about:
    `\`POST /v2/fs/grep\` over ${FILES.toLocaleString('en')} files of about 200 bytes, 100 in a directory, ` +
    `everything in the page cache; the peer is \`rg ${SAME_FILES.join(' ')}\` for the same pattern, until its end. ` +
    'First ten: a pattern that every file has, with `max_results` 10.',
  needs: [RIPGREP],
  async prepare(stack) {
    const { root } = stack.use(treeOfFiles(FILES));
    const daemon = stack.use(await startDaemon());
    const client = stack.use(new HttpClient(daemon.port));
    const grep = async (more: object, count: number): Promise<void> => {
      const { data } = JSON.parse(requireOk(await client.post('/v2/fs/grep', { path: root, ...more })));
      if (data.match_count !== count) throw new Error(`${data.match_count} matches of ${count}`);
    };
    const rg = (pattern: string) =>
      latencies(1, () => promisify(execFile)('rg', [...SAME_FILES, pattern, root], { maxBuffer: 2 ** 30 }));
    const row = { unit: 'ms', better: 'lower' } as const;
    return [
      {
        rows: [{ ...row, name: 'grep', goal: { words: "at most 1.2× ripgrep's", of: 'ratio', bound: 1.2 } }],
        peer: 'ripgrep',
        measureOurs: () => latencies(1, () => grep({ pattern: 'needle' }, MATCHES)),
        measurePeer: () => rg('needle'),
      },
      {
        rows: [{ ...row, name: 'first ten matches' }],
        peer: 'ripgrep to its end',
        measureOurs: () => latencies(1, () => grep({ pattern: 'alpha', max_results: 10 }, 10)),
        measurePeer: () => rg('alpha'),
      },
    ];
  },
};

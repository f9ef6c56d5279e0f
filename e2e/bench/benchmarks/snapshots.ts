import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SNAPSHOT_PAGES } from '../../../browser-mcp/src/snapshot-pages.fixture.ts';
import { ROOT } from '../../../scripts/root.ts';
import type { Benchmark } from '../harness/benchmark.ts';
import { lower } from '../harness/rows.ts';
import { BROWSER_PEERS, BrowserBed, peerProgram, TOKENIZER } from '../testbed/browser-bed.ts';
import { McpStdio } from '../testbed/mcp-stdio.ts';

const PATHS = Object.keys(SNAPSHOT_PAGES);

export const snapshots: Benchmark = {
  name: 'snapshots',
  about:
    'tokens of `POST snapshot` without options and of `browser_snapshot` of @playwright/mcp 0.0.83, of the same page in ' +
    'the same browser, counted by gpt-tokenizer 4.0.0 in the encoding o200k_base; of the peer the tree alone. The pages ' +
    'are those of `browser-mcp/src/snapshot-pages.fixture.ts`. Of list and form ours has the first 30 entries and their ' +
    'number.',
  needs: [BROWSER_PEERS, TOKENIZER],
  async prepare(stack) {
    const bed = stack.use(await BrowserBed.open());
    const { countTokens } = (await import(
      pathToFileURL(peerProgram('gpt-tokenizer/esm/encoding/o200k_base.js')).href
    )) as { countTokens(text: string): number };
    const args = ['--cdp-endpoint', `http://127.0.0.1:${bed.browser.port}`];
    const output = ['--output-dir', join(ROOT, 'dist/playwright-mcp')];
    const peer = stack.use(await McpStdio.start(peerProgram('@playwright/mcp/cli.js'), [...args, ...output]));
    Object.assign(bed.site.pages, SNAPSHOT_PAGES);
    const ours = async (path: string): Promise<number> => {
      const { snapshot } = await bed.post('snapshot', { tab_id: await bed.tab(path) });
      return countTokens(String(snapshot));
    };
    const theirs = async (path: string): Promise<number> => {
      await peer.call('browser_navigate', { url: bed.site.url(path) });
      return countTokens(treeOf(await peer.call('browser_snapshot')));
    };
    return PATHS.map((path) => ({
      rows: [lower(path.slice(1), 'tokens', { words: 'at most as many', of: 'ratio', bound: 1 })],
      peer: '@playwright/mcp',
      rounds: 1,
      measureOurs: async () => [await ours(path)],
      measurePeer: async () => [await theirs(path)],
    }));
  },
};

function treeOf(answer: string): string {
  const [, tree] = answer.split('```yaml\n');
  if (tree === undefined) throw new Error(`no tree in ${answer.slice(0, 300)}`);
  return tree.slice(0, tree.lastIndexOf('```'));
}

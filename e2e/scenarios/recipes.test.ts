import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../scripts/testing/temp-dir.ts';
import { blocksOf, follow, GUIDE_KEY } from '../guide-commands.ts';
import { Services } from '../services.ts';

test.each(['coding-agent', 'data-analysis', 'evaluation', 'mcp-editor', 'warm-pool', 'web-preview'])(
  'the commands of the recipe %s print what stands below them',
  async (name) => {
    await using directory = await tempDir();
    const token = join(directory.path, 'claim-token');
    await writeFile(token, 'pool-token-0123456789', { mode: 0o600 });
    const isPool = name === 'warm-pool';
    await using services = await Services.start(isPool ? { SVC_CLAIM_TOKEN_FILE: token } : { SVC_API_KEY: GUIDE_KEY });
    const blocks = await blocksOf(name);
    const script = `export SANDBOX_URL=${services.url} SANDBOX_API_KEY=${GUIDE_KEY}\n${blocks.map(({ commands }) => commands).join('')}`;
    const output = await follow(script.replaceAll('/tmp/', `${directory.path}/`), services.url, directory.path);
    expect(output).toBe(blocks.map(({ printed }) => printed).join(''));
  },
);

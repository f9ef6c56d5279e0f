import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { pause } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import { expect, test } from 'vitest';
import { hasKeeper } from '../../daemon/src/hosts.fixture.ts';
import { ROOT } from '../../scripts/root.ts';
import { describeRows } from '../../scripts/testing/describe-rows.ts';
import { SeededRandom } from '../../scripts/testing/seeded-random.ts';
import { tempDir } from '../../scripts/testing/temp-dir.ts';
import { Services } from '../services.ts';
import { AttachedProgram } from './attached-program.ts';
import { LanguageClient } from './language-client.ts';
import { ProgramTransport } from './program-transport.ts';

const SECONDS = process.env['TEST_EXTENT'] === 'whole' ? 60 : 4;
const KILLS = 2;
/** Requests under way at once. */
const LANES = 4;
/** Bytes of a request, so that a connection is also lost within a message. */
const MOST_BYTES = 300_000;

/**
 * Makes requests on each lane for the time, one after the other, while the daemon is killed and started again.
 * @returns how many were answered
 */
async function workAcrossKills(
  services: Services,
  program: AttachedProgram,
  ask: (lane: number, round: number) => Promise<void>,
) {
  const stopped = new AbortController();
  let answered = 0;
  const lanes = Promise.all(
    Array.from({ length: LANES }, async (_, lane) => {
      for (let round = 1; !stopped.signal.aborted; round++) {
        await ask(lane, round);
        answered += 1;
      }
    }),
  );
  const early = program.exited.then((code) => {
    throw new Error(`the program has ended with ${code}`);
  });
  const fault = Promise.race([lanes, early]);
  fault.catch(ignore);
  const since: number[] = [];
  const phase = async (): Promise<void> => {
    const before = answered;
    const worked = async (): Promise<void> => {
      await pause((SECONDS * 1000) / (KILLS + 1));
      await expect.poll(() => answered).toBeGreaterThan(before + LANES);
    };
    await Promise.race([worked(), fault]);
    since.push(answered - before);
  };
  await phase();
  for (let kill = 0; kill < KILLS; kill++) {
    await services.stopDaemon('SIGKILL');
    await services.startDaemon();
    await phase();
  }
  stopped.abort();
  await lanes;
  return { answered, since };
}

/** No connection was lost but those of the daemons that were killed, and everything that was written was taken. */
async function expectWhole(
  name: string,
  program: AttachedProgram,
  { answered, since }: { readonly answered: number; readonly since: readonly number[] },
): Promise<void> {
  const { written, received, closeCodes } = program;
  expect(closeCodes.length).toBe(KILLS);
  for (const code of closeCodes) expect([1006, 1012]).toContain(code);
  await expect.poll(() => program.acknowledged).toBe(written);
  const bytes = `${written} bytes of stdin, ${received} of stdout`;
  const codes = `close codes ${closeCodes.join(', ')}`;
  process.stderr.write(`${name}: ${answered} requests in ${SECONDS} s (${since.join(' + ')}), ${bytes}, ${codes}\n`);
}

describeRows(
  [{ name: 'keeper', isThere: hasKeeper }],
  ({ name }) => name,
  () => {
    test('[attach.language-server] a language server answers every request while daemons are killed', async () => {
      await using directory = await tempDir();
      await using services = await Services.start({ SVC_PROCESS_HOST: 'keeper' });
      const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
      const client: LanguageClient = new LanguageClient((bytes) => program.write(bytes));
      await using program = await AttachedProgram.start(
        services.url,
        [process.execPath, tsc, '--lsp', '--stdio'],
        (bytes) => client.take(bytes),
      );
      const lanes = Array.from({ length: LANES }, (_, lane) => join(directory.path, `lane${lane}.ts`));
      const uriOf = (lane: number): string => `file://${lanes[lane]}`;
      await client.request('initialize', { processId: null, rootUri: `file://${directory.path}`, capabilities: {} });
      client.notify('initialized', {});
      for (const [lane, path] of lanes.entries()) {
        await writeFile(path, '');
        const document = { uri: uriOf(lane), languageId: 'typescript', version: 0, text: '' };
        client.notify('textDocument/didOpen', { textDocument: document });
      }
      const random = new SeededRandom('documents');
      const before = client.answers;
      const work = await workAcrossKills(services, program, async (lane, version) => {
        const name = `value_${lane}_${version}_é日`;
        const text = `// ${'ü'.repeat(random.below(MOST_BYTES / 2))}\nexport const ${name} = ${version};\n`;
        const uri = uriOf(lane);
        client.notify('textDocument/didChange', { textDocument: { uri, version }, contentChanges: [{ text }] });
        const symbols = (await client.request('textDocument/documentSymbol', { textDocument: { uri } })) as object[];
        expect(symbols).toMatchObject([{ name }]);
      });
      expect(client.answers - before).toBe(work.answered);
      await expectWhole('language server', program, work);
      await client.request('shutdown', undefined);
      client.notify('exit', undefined);
      await program.exited;
    });

    test('[attach.mcp-server] a stdio MCP server answers every call once while daemons are killed', async () => {
      await using services = await Services.start({ SVC_PROCESS_HOST: 'keeper' });
      const server = join(ROOT, 'daemon/src/mcp/count-server.fixture.ts');
      const transport = new ProgramTransport();
      await using program = await AttachedProgram.start(services.url, [process.execPath, server], (bytes) =>
        transport.take(bytes),
      );
      transport.attach(program);
      const client = new Client({ name: 'attached', version: '1.0.0' });
      await client.connect(transport);
      const call = async (name: string, args: Record<string, unknown>): Promise<unknown> =>
        (await client.callTool({ name, arguments: args })).content;
      const random = new SeededRandom('texts of calls');
      const work = await workAcrossKills(services, program, async (lane, round) => {
        const text = `${'x'.repeat(random.below(MOST_BYTES))}é日-${lane}-${round}`;
        expect(await call('reverse', { text })).toEqual([{ type: 'text', text: Array.from(text).reverse().join('') }]);
      });
      expect(await call('calls', {})).toEqual([{ type: 'text', text: String(work.answered) }]);
      await expectWhole('MCP server', program, work);
      program.end();
      expect(await program.exited).toBe(0);
    });
  },
);

import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { capture } from '../../scripts/images/docker.ts';
import { ROOT } from '../../scripts/root.ts';
import { virtualEnvironment } from '../clients/virtual-environment.ts';

const SCHEMATHESIS = 'schemathesis==4.32.5';
const REPORTS = join(ROOT, 'dist/fuzz');
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
  'positive_data_acceptance',
  'negative_data_rejection',
];

const SUMMARY_LINES = 12;
/** Operation, kind of finding, its status, a failed connection. */
const FINDING_LINE = /^_+ .+ _+$|^- \S|^\[\d{3}\] |^Received: |\bError$|timed out/;

export interface FuzzRun {
  readonly ok: boolean;
  readonly requests: number;
  /** One line for a report that shows no more: the operations with a finding, and of what kind each is. */
  readonly summary: string;
  /** What Schemathesis prints: the findings, each as a curl command. */
  readonly text: string;
}

interface FuzzTerms {
  readonly seed: number;
  /** Requests of the phase fuzzing, per operation. */
  readonly examples: number;
  /** Bounds the run: its random phases alone repeat until then. Default: all phases, once. */
  readonly seconds?: number;
  /** A pattern of the paths that are tested, without those that links lead to. Default: all. */
  readonly paths?: string;
}

/** The operations under the headings of the report, with the first lines of each finding. */
function summaryOf(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  const from = lines.findIndex((line) => /^=+ (?:ERRORS|FAILURES) =+$/.test(line));
  const told =
    from < 0
      ? lines.filter((line) => line !== '').slice(-SUMMARY_LINES)
      : lines.slice(from).filter((line) => FINDING_LINE.test(line));
  return told.slice(0, SUMMARY_LINES).join('; ').replaceAll(/_{2,}/g, '');
}

/** Runs Schemathesis against a surface. */
export async function fuzz(
  service: { readonly url: string; readonly key: string },
  surface: 'v1' | 'v2',
  { seed, examples, seconds, paths }: FuzzTerms,
): Promise<FuzzRun> {
  const python = await virtualEnvironment('schemathesis', [['install', '--quiet', SCHEMATHESIS]]);
  await mkdir(REPORTS, { recursive: true });
  const count = join(REPORTS, `${surface}-${seed}.count`);
  const config = ['--config-file', join(import.meta.dirname, 'schemathesis.toml')];
  // Schemathesis waits ten seconds for the document, which the service makes at the first call.
  await (await fetch(`${service.url}/${surface}/openapi.json`)).text();
  const target = [`${service.url}/${surface}/openapi.json`, '--header', `x-api-key: ${service.key}`];
  // Its health checks measure how fast a busy machine generates data.
  const amount = ['--max-examples', String(examples), '--seed', String(seed), '--suppress-health-check', 'all'];
  const bound = seconds === undefined ? [] : ['--max-time', String(seconds), '--phases', 'examples,fuzzing,stateful'];
  const part = paths === undefined ? [] : ['--include-path-regex', paths, '--phases', 'examples,coverage,fuzzing'];
  const { ok, stdout, stderr } = await capture(
    [
      'env',
      `--chdir=${REPORTS}`,
      join(dirname(python), 'st'),
      ...config,
      'run',
      ...target,
      ...amount,
      ...bound,
      ...part,
      '--checks',
      CHECKS.join(','),
      '--no-color',
    ],
    { SCHEMATHESIS_HOOKS: 'hooks', PYTHONPATH: import.meta.dirname, FUZZ_COUNT: count },
  );
  process.stderr.write(`${surface}: TEST_SEED=${seed} replays it\n`);
  return {
    ok,
    requests: Number(await readFile(count, 'utf8')),
    summary: summaryOf(stdout + stderr),
    text: stdout + stderr,
  };
}

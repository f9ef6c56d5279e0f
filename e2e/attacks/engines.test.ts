import { expect, test } from 'vitest';
import { fetchPatiently } from '../../scripts/testing/patience.ts';
import { growthDuring } from '../../scripts/testing/process-memory.ts';
import { tempDir } from '../../scripts/testing/temp-dir.ts';
import { Services } from '../services.ts';
import { DOCUMENTS } from './engines/documents.ts';
import type { EngineAnswer, EngineAttack } from './engines/engine-attack.ts';
import { IS_WHOLE } from './engines/seed.ts';
import { STREAMS } from './engines/streams.ts';
import { TEXTS } from './engines/texts.ts';

/** Milliseconds: more than the minute of a search and the half of a document. */
const DEADLINE_MS = 75_000;
/** Bytes above those of rest: heap and buffers of two documents. */
const MEMORY_BYTES = 1024 ** 3;
/** Milliseconds in which a stranger gets the answer of /health. */
const HEALTH_MS = 20_000;

const ATTACKS: readonly EngineAttack[] = [...DOCUMENTS, ...STREAMS, ...TEXTS];

test('[engines.hostile-input] a hostile input gets its answer in time, and costs bounded memory', async () => {
  await using skills = await tempDir();
  await using directory = await tempDir();
  await using services = await Services.start({ SVC_SKILLS_PATH: skills.path });
  const call = async (path: string, init: RequestInit = {}): Promise<EngineAnswer> => {
    try {
      return await fetchPatiently(services.url + path, { ...init, ms: DEADLINE_MS });
    } catch (error) {
      return { status: 0, text: `${error}: ${error instanceof Error ? error.cause : ''}` };
    }
  };
  const pid = Number(services.daemon.pid);
  for (const { engine, name, run, statuses } of ATTACKS.filter(({ isLong = false }) => IS_WHOLE || !isLong)) {
    let got: EngineAnswer = { status: 0, text: '' };
    const growth = await growthDuring(pid, async () => {
      got = await run({ call, directory: directory.path, skills: skills.path });
    });
    const wrong = statuses.includes(got.status) ? [] : [`${got.status} ${got.text.slice(0, 200)}`];
    expect.soft([engine, name, ...wrong]).toEqual([engine, name]);
    expect.soft([engine, name, ...(growth < MEMORY_BYTES ? [] : [growth])]).toEqual([engine, name]);
  }
  const health = await fetchPatiently(`${services.url}/health`, { ms: HEALTH_MS });
  expect(health.status).toBe(200);
  expect([services.daemon.pid, services.daemon.exitCode, services.daemon.signalCode]).toEqual([pid, null, null]);
}, 900_000);

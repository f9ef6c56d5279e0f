import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeRows } from '../../../../../scripts/testing/describe-rows.ts';
import type { HostedProcess } from '../process-host.ts';
import { KEEPERS, RawClient, RunningKeeper, startFrame, stdinFrame } from './keeper.fixture.ts';
import { FrameWriter, REQUEST } from './keeper-frames.ts';

const ROUNDS = 10;
const RECORD = JSON.stringify({ idempotency: 'k' });

interface Place {
  readonly client: RawClient;
  readonly id: string;
  /** Each run of the command adds a line here, before its output. */
  readonly marks: string;
}

interface Step {
  readonly name: string;
  /** What the client does before it dies. */
  readonly reach: (place: Place) => Promise<void>;
  /** What the next client has to find: an id without a process, or a process that ends so. */
  readonly finds: 'nothing' | number;
}

function start({ id, marks }: Place): FrameWriter {
  return startFrame(id, `echo x >> ${marks}; echo out; read line; echo "$line"; exit 7`, {
    stdin: true,
    record: RECORD,
  });
}

function input(id: string): FrameWriter {
  return stdinFrame(id, 0, 'in\n');
}

function forget(id: string): FrameWriter {
  return new FrameWriter(REQUEST.forget).u32(1).text(id).flag(false);
}

const STEPS: readonly Step[] = [
  {
    name: 'in the middle of START',
    finds: 'nothing',
    reach: async (place) => {
      const whole = start(place).finish();
      place.client.socket.write(whole.subarray(0, whole.length - 1));
    },
  },
  { name: 'after START', finds: 7, reach: async (place) => place.client.send(start(place)) },
  {
    name: 'after its start was announced',
    finds: 7,
    reach: async (place) => {
      place.client.send(start(place));
      await place.client.state(place.id);
    },
  },
  {
    name: 'after its first output',
    finds: 7,
    reach: async (place) => {
      place.client.send(start(place));
      await place.client.state(place.id, ({ streams }) => streams[0]?.end === 4);
    },
  },
  {
    name: 'in the middle of STDIN',
    finds: 7,
    reach: async (place) => {
      place.client.send(start(place));
      await place.client.state(place.id);
      place.client.socket.write(input(place.id).finish().subarray(0, 20));
    },
  },
  {
    name: 'after STDIN',
    finds: 7,
    reach: async (place) => {
      place.client.send(start(place), input(place.id));
    },
  },
  {
    name: 'after its end was announced',
    finds: 7,
    reach: async (place) => {
      place.client.send(start(place), input(place.id));
      await place.client.ended(place.id);
    },
  },
  {
    name: 'after FORGET',
    finds: 'nothing',
    reach: async (place) => {
      place.client.send(start(place), input(place.id));
      await place.client.ended(place.id);
      place.client.send(forget(place.id));
    },
  },
];

async function expectWhole(hosted: HostedProcess | undefined, finds: number): Promise<void> {
  expect(hosted?.record).toBe(RECORD);
  await hosted?.writeStdin(Buffer.from('in\n')).catch(() => undefined);
  expect(await hosted?.ended).toMatchObject({ exitCode: finds });
}

describeRows(
  KEEPERS,
  ({ name }) => `a client of ${name} that dies`,
  ({ program }) => {
    test.each(STEPS)('$name loses nothing, ten times', async ({ reach, finds }) => {
      await using keeper = await RunningKeeper.start(program);
      for (let round = 0; round < ROUNDS; round++) {
        const id = `c-${round}`;
        const marks = join(keeper.directory, `marks-${round}`);
        const client = await RawClient.open(keeper.socket);
        await reach({ client, id, marks });
        // The end of a process closes its socket so: what was sent arrives.
        await new Promise<void>((resolve) => client.socket.end(resolve));
        const host = await keeper.host();
        const hosted = host.recover(new Map([[id, { stdout: 0, stderr: 0 }]])).processes.get(id);
        if (finds === 'nothing') expect(hosted).toBeUndefined();
        else await expectWhole(hosted, finds);
        hosted?.acknowledgeExit();
        await host[Symbol.asyncDispose]();
        client.socket.destroy();
        const hasRun = finds === 'nothing' ? existsSync(marks) : true;
        if (hasRun) expect(readFileSync(marks, 'latin1')).toBe('x\n');
        if (hasRun) expect(readFileSync(join(keeper.directory, `output/${id}.stdout.0`), 'latin1')).toBe('out\nin\n');
      }
      expect(keeper.said).toBe('');
    });
  },
);

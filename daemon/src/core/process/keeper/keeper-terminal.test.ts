import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RawClient, RunningKeeper, sanitizedProgram, stdinFrame } from './keeper.fixture.ts';
import { EVENT, FrameWriter, REQUEST } from './keeper-frames.ts';

const SIGINT = 2;

/** A terminal of 100 columns and 30 rows that runs a script. */
function startTerminal(id: string, script: string): FrameWriter {
  return new FrameWriter(REQUEST.start)
    .text(id)
    .u8(2)
    .flag(true)
    .u16(100)
    .u16(30)
    .u64(1_000_000)
    .u32(500_000)
    .account(undefined)
    .text('/')
    .text('/bin/bash')
    .texts(['bash', '-c', script])
    .texts(['PATH=/usr/bin:/bin', 'TERM=xterm'])
    .flag(false)
    .u8(0)
    .text('');
}

test.runIf(sanitizedProgram !== undefined)(
  'a terminal has its size, takes input, is resized, interrupted, and ends',
  async () => {
    await using keeper = await RunningKeeper.start(sanitizedProgram ?? '');
    await using client = await RawClient.open(keeper.socket);
    const written = (text: string) => (): boolean =>
      readFileSync(join(keeper.directory, 'output/t.pty.0'), 'latin1').endsWith(text);
    const script = 'stty -echo; stty size; read line; stty size; echo "$line"; test -t 2 && exec sleep 1000';
    client.send(startTerminal('t', script));
    await client.state('t', ({ streams }) => (streams[0]?.end ?? 0) > 0 && written('30 100\r\n')());
    client.send(new FrameWriter(REQUEST.resize).text('t').u16(120).u16(40));
    client.send(stdinFrame('t', 0, 'hello\n'));
    await client.state('t', written('40 120\r\nhello\r\n'));
    client.send(new FrameWriter(REQUEST.foreground).u32(5).u32(SIGINT).text('t'));
    const signalled = await client.until(EVENT.signalled);
    expect([signalled.u32(), signalled.u32()]).toEqual([5, 1]);
    expect(await client.ended('t')).toMatchObject({ signal: 'SIGINT' });
    expect(keeper.said).toBe('');
  },
);

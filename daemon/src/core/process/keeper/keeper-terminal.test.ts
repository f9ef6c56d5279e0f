import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RunningKeeper, sanitizedProgram } from './keeper.fixture.ts';
import { EVENT, type FrameReader, FrameSplitter, FrameWriter, KEEPER_VERSION, REQUEST } from './keeper-frames.ts';

const SIGINT = 2;

/** A terminal of 100 columns and 30 rows that runs a script. */
function startTerminal(id: string, script: string): FrameWriter {
  return new FrameWriter(REQUEST.start)
    .text(id)
    .u8(2)
    .u16(100)
    .u16(30)
    .u64(1_000_000)
    .u32(500_000)
    .account(undefined)
    .text('/')
    .text('/bin/bash')
    .texts(['bash', '-c', script])
    .texts(['PATH=/usr/bin:/bin', 'TERM=xterm'])
    .flag(false);
}

/** The frames of the keeper, one after the other. */
async function* framesOf(socket: AsyncIterable<Buffer>): AsyncGenerator<FrameReader> {
  const splitter = new FrameSplitter();
  for await (const chunk of socket) yield* splitter.push(chunk);
}

test.runIf(sanitizedProgram !== undefined)(
  'a terminal has its size, takes input, is resized, interrupted, and ends',
  async () => {
    await using keeper = await RunningKeeper.start(sanitizedProgram ?? '');
    const socket = connect(keeper.socket);
    const send = (frame: FrameWriter): boolean => socket.write(frame.finish());
    const frames = framesOf(socket);
    const until = async (type: number, met: (frame: FrameReader) => boolean = () => true): Promise<FrameReader> => {
      for (;;) {
        const { value } = await frames.next();
        if (value === undefined) throw new Error('the keeper ended the connection');
        if (value.type === type && met(value)) return value;
      }
    };
    const written = (text: string) => (): boolean =>
      readFileSync(join(keeper.directory, 'output/t.pty.0'), 'latin1').endsWith(text);

    send(new FrameWriter(REQUEST.hello).u32(KEEPER_VERSION));
    const script = 'stty -echo; stty size; read line; stty size; echo "$line"; test -t 2 && exec sleep 1000';
    send(startTerminal('t', script));
    await until(EVENT.advance, written('30 100\r\n'));
    send(new FrameWriter(REQUEST.resize).text('t').u16(120).u16(40));
    send(new FrameWriter(REQUEST.stdin).text('t').u64(0).bytes(Buffer.from('hello\n')));
    await until(EVENT.advance, written('40 120\r\nhello\r\n'));
    send(new FrameWriter(REQUEST.foreground).u32(5).u32(SIGINT).text('t'));
    const signalled = await until(EVENT.signalled);
    expect([signalled.u32(), signalled.u32()]).toEqual([5, 1]);
    const exit = await until(EVENT.exit);
    expect([exit.text(), exit.flag(), exit.u32()]).toEqual(['t', true, SIGINT]);
    socket.destroy();
    expect(keeper.said).toBe('');
  },
);

import { expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import { provided } from '../../core/ports/port.ts';
import { TERMINALS, type TerminalsPort } from '../../core/ports/terminals-port.ts';
import { describeOnHosts } from '../../hosts.fixture.ts';
import { defineProtocol } from '../../protocol.ts';

/** Milliseconds for which the reader holds the event loop after a piece: more than one turn may last. */
const HELD_MS = 50;

/** A protocol that hands out the port. */
function reader(taken: (terminals: TerminalsPort) => void) {
  return defineProtocol({
    name: 'reader',
    uses: [TERMINALS],
    refusal: ({ message }) => ({ contentType: 'text/plain', body: message }),
    load: (_core, _options, ports) => {
      taken(provided(ports, TERMINALS));
      return Promise.resolve({
        serve: ({ res }) => void res.end('taken'),
        [Symbol.asyncDispose]: () => Promise.resolve(),
      });
    },
    report: () => ({ port: null, level: 'a test', missing: [] }),
  });
}

describeOnHosts('the port of terminals', () => {
  test('[e2b.process] output that comes while a reader is busy is read before the end', async () => {
    const { promise, resolve } = Promise.withResolvers<TerminalsPort>();
    await using app = await TestApp.start({}, undefined, undefined, undefined, undefined, [reader(resolve)]);
    expect((await app.inject('/compat/reader/')).body).toBe('taken');
    const terminals = await promise;
    for (let round = 0; round < 5; round += 1) {
      const terms = { cwd: undefined, env: {}, user: undefined, cols: 80, rows: 24 };
      const script = 'echo first; sleep 0.01; echo last';
      const { id } = await terminals.open({ program: 'sh', args: ['-c', script], ...terms });
      let text = '';
      for await (const event of terminals.follow(id, new AbortController().signal)) {
        if (event.type === 'exit') break;
        text += event.bytes.toString();
        for (const until = performance.now() + HELD_MS; performance.now() < until; );
      }
      expect(text).toBe('first\r\nlast\r\n');
    }
  });
});

import { Forker } from './forker.fixture.ts';
import { KeeperHost } from './keeper-host.ts';

/** A daemon to be killed: has one process handed over, prints its pid, and has the next one forked after that. */
const { directory, program } = JSON.parse(process.argv[2] ?? '') as { directory: string; program: string };
const host = await KeeperHost.open({ directory });
const forker = await Forker.start(host, directory, program);
const { pid } = await forker.fork('a', 'echo', 'pipe');
const next = await forker.reserve('b');
await forker.tell(`fork ${next.id} 0 usual exit-6`);
process.stdout.write(`${pid}\n`);

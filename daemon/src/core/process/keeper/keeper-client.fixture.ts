import { idIn, startIn } from './keeper.fixture.ts';
import { KeeperHost } from './keeper-host.ts';

/** A daemon to be killed: starts what its arguments say (a directory, then scripts) and stays. */
const [directory = '', ...scripts] = process.argv.slice(2);
const host = await KeeperHost.open({ directory });
await Promise.all(scripts.map((script, index) => startIn(host, idIn(directory, index), script, { stdin: 'pipe' })));
process.stdout.write('started\n');
process.stdin.resume();

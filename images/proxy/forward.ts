// Runs the forwarder for PROXY_SERVER on the port of the first argument, until SIGTERM.
import process from 'node:process';
import { Forwarder } from './forwarder.ts';
import { parseRules } from './proxy-rules.ts';
import { upstreamOf } from './upstream.ts';

const { server } = parseRules({ server: process.env['PROXY_SERVER'] });
if (server === undefined) throw new Error('PROXY_SERVER is not set');
const forwarder = new Forwarder(upstreamOf(server));
const port = await forwarder.listen(Number(process.argv[2]));
process.stdout.write(`the browser reaches its proxy by 127.0.0.1:${port}\n`);
process.on('SIGTERM', () => process.exit(0));

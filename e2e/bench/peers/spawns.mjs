// Runs programs with Node's own spawn and waits for them and their pipes to end. HTTP requests control it:
// POST /run {file, args, callers, count} answers {times, rate}; POST /hold {file, args, count} leaves them running.
// As for commands, standard input is /dev/null and the environment is that of a command.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

const [port] = process.argv.slice(2);
const env = { PATH: process.env.PATH, HOME: process.env.HOME, LANG: 'C.UTF-8', TERM: 'dumb', SHLVL: '1' };

createServer(async (request, response) => {
  const work = { '/run': run, '/hold': hold }[request.url];
  response.end(work ? JSON.stringify(await work(await json(request))) : '{}');
}).listen(Number(port), '127.0.0.1');
const held = [];
process.once('exit', () => {
  for (const child of held) child.kill();
});
process.once('SIGTERM', () => process.exit());
process.stdin.once('end', () => process.exit()).resume();

async function run({ file, args, callers, count }) {
  const times = [];
  let left = count;
  const caller = async () => {
    while (left > 0) {
      left -= 1;
      const begun = performance.now();
      await ended(file, args);
      times.push(performance.now() - begun);
    }
  };
  const begun = performance.now();
  await Promise.all(Array.from({ length: callers }, caller));
  return { times, rate: count / ((performance.now() - begun) / 1000) };
}

async function hold({ file, args, count }) {
  const started = Array.from({ length: count }, () => spawn(file, args, { env, stdio: ['pipe', 'pipe', 'pipe'] }));
  held.push(...started);
  await Promise.all(started.map((child) => new Promise((resolve) => child.once('spawn', resolve))));
  return {};
}

function ended(file, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.resume();
    child.stderr.resume();
    child.on('error', reject).on('close', resolve);
  });
}

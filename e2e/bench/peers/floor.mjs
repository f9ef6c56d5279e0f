// The plainest programs of Node that do what routes of the daemon do: no validation, checks, limits or journal.
// POST /run {file, args}; GET /read?path; POST /write {path, content}; GET and PUT /tree?path, an archive by GNU tar;
// GET and PUT /file?path; POST /evaluate {code}, in a child that is kept; POST /script {code}, in a child of its own.
import { fork, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { json, text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

const [port, waiting = '0'] = process.argv.slice(2);
const WIDE = { highWaterMark: 1024 ** 2 };
const EVALUATOR = new URL('evaluator.mjs', import.meta.url);

const ROUTES = {
  'POST /run': async (request) => ended(await json(request)),
  'GET /read': async (_request, path) => ({ path, content: readFileSync(path, 'utf8') }),
  'POST /write': async (request) => {
    const { path, content } = await json(request);
    writeFileSync(path, content);
    return { path };
  },
  'GET /tree': (_request, path, response) =>
    pipeline(spawn('tar', ['-C', path, '-cf', '-', '.'], { stdio: ['ignore', 'pipe', 'inherit'] }).stdout, response),
  'PUT /tree': async (request, path) => {
    mkdirSync(path, { recursive: true });
    const tar = spawn('tar', ['-C', path, '-xf', '-'], { stdio: ['pipe', 'ignore', 'inherit'] });
    const closed = once(tar, 'close');
    await pipeline(request, tar.stdin);
    const [exit_code] = await closed;
    return { exit_code };
  },
  'GET /file': (_request, path, response) => pipeline(createReadStream(path, WIDE), response),
  'PUT /file': async (request, path) => {
    const hash = createHash('sha256');
    request.on('data', (bytes) => hash.update(bytes));
    await pipeline(request, createWriteStream(path, WIDE));
    return { sha256: hash.digest('hex') };
  },
  'POST /evaluate': async (request) => {
    kept ??= fork(EVALUATOR);
    return { value: await evaluated(kept, await json(request)) };
  },
  'POST /script': async (request) => {
    const child = children.shift() ?? fork(EVALUATOR);
    const value = await evaluated(child, await json(request));
    child.kill();
    refill();
    return { value };
  },
};

/** The child of the cells that keep state, and those that wait for one without. */
let kept;
const children = [];
function refill() {
  while (children.length < Number(waiting)) children.push(fork(EVALUATOR));
}

createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  const route = ROUTES[`${request.method} ${pathname}`];
  const answer = route ? await route(request, searchParams.get('path'), response) : {};
  if (answer) response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
}).listen(Number(port), '127.0.0.1');
refill();
process.once('exit', () => {
  for (const child of [kept, ...children]) child?.kill();
});
process.once('SIGTERM', () => process.exit());
process.stdin.once('end', () => process.exit()).resume();

/** As for commands, standard input is /dev/null; bash reads ~/.bashrc if it is a socket. */
async function ended({ file, args }) {
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(child, 'close');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [exit_code] = await closed;
  return { exit_code, stdout, stderr };
}

async function evaluated(child, { code }) {
  const answered = once(child, 'message');
  child.send(code);
  const [value] = await answered;
  return value;
}

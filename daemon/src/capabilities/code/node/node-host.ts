import { NPM_ROOTS } from './npm-roots.ts';

/**
 * The program of a JavaScript interpreter, for any Node from 20 on; its arguments are the secret, the directory of its
 * sockets, and the name of its mark when it takes cells. It runs cells by the inspector of its own thread in V8's REPL
 * mode, which keeps bindings, allows redeclaration and awaits at the top level (Chrome DevTools Protocol,
 * Runtime.evaluate). Frames that it adds to a stack bear its own name.
 */
export const NODE_HOST = String.raw`(() => {
'use strict';
const npmRoots = ${NPM_ROOTS};
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const vm = require('node:vm');
const { Console } = require('node:console');
const { Session } = require('node:inspector');
const Module = require('node:module');
const { createRequire } = Module;
const { pathToFileURL } = require('node:url');
const { homedir } = require('node:os');
const { inspect, types } = require('node:util');

const [token, directory, ready] = process.argv.splice(1, 3);
const TEXT_MAX = 1000000;
const cut = (text) => (text.length > TEXT_MAX ? text.slice(0, TEXT_MAX) + '…' : text);
const { stdout, stderr, exit: exitProcess } = process;
const { writeSync } = fs;
const { parse, stringify } = JSON;

// A writer then waits for the reader as a shell program does, and nothing is left unwritten at the end of a cell.
for (const stream of [stdout, stderr]) stream._handle?.setBlocking?.(true);

// The global console would keep its last thousand messages for the inspector.
const property = (name, value) =>
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
property('console', new Console({ stdout, stderr }));

const session = new Session();
session.connect();
const post = (method, params) =>
  new Promise((resolve) => session.post(method, params, (error, answer) => resolve(answer ?? { failure: error })));

let control;
let running;
let last;
let count = 0;
let taken;
let holdsObjects = false;
let importer;

const send = (message) => {
  if (control && !control.destroyed) control.write(stringify(message) + '\n');
};

function mark(name, code, fds = [1, 2]) {
  const bytes = '\x1e' + name + ' ' + code + '\x1e';
  for (const fd of fds) {
    try { writeSync(fd, bytes); } catch {}
  }
}

// What ends code that does not return may come late, and cut this: it continues with the next interrupt.
let unreported;
function tell() {
  if (!unreported) return;
  const { name, code, fds } = unreported;
  while (fds.length > 0) {
    mark(name, code, fds.slice(0, 1));
    fds.shift();
  }
  send(last);
  unreported = undefined;
}

function interrupt(cell) {
  if (running?.run === cell) finish(cell, { error: interrupted });
  else if (last?.done === cell) tell();
}

function finish(cell, report) {
  if (running?.run !== cell) return;
  const { isLast, mark: name } = running;
  last = { done: cell, count, ...report };
  unreported = { name, code: report.error ? 1 : 0, fds: [1, 2] };
  running = undefined;
  tell();
  if (isLast || !holdsObjects) return;
  holdsObjects = false;
  void post('Runtime.releaseObjectGroup', { objectGroup: 'cell' });
}

function describe(error, details) {
  const isError = types.isNativeError(error) || error instanceof Error;
  const safely = (read, fallback) => { try { return cut(String(read())); } catch { return fallback; } };
  const ename = isError ? safely(() => error.name, 'Error') : 'Uncaught';
  const text = safely(() => inspect(error), 'Uncaught');
  const evalue = isError ? safely(() => error.message, '') : text;
  const lines = [];
  let isOurs = false;
  for (const line of text.split('\n')) {
    const isFrame = line.trimStart().startsWith('at ');
    isOurs = isFrame && (isOurs || line.includes('node:inspector'));
    const isHidden = line.includes('svc-node-host') || line.includes('node:internal/process/task_queues');
    if (!isOurs && !(isFrame && isHidden)) lines.push(line);
  }
  return { ename, evalue, traceback: [...where(details), ...lines] };
}

// A syntax error has no frame of its own.
function where(details) {
  if (!details || details.exception?.className !== 'SyntaxError' || !running) return [];
  const { lineNumber: line = 0, columnNumber: column = 0 } = details;
  const source = running.code.split('\n')[line];
  if (source === undefined) return [];
  return [running.name + ':' + (line + 1), source.slice(0, 500), ' '.repeat(Math.min(column, 500)) + '^', ''];
}

// Values of the inspector by identity: its previews are not what Node prints.
async function valueOf(remote) {
  if (remote.objectId === undefined) {
    if (remote.unserializableValue === undefined) return remote.value;
    return (0, eval)(remote.unserializableValue);
  }
  await post('Runtime.callFunctionOn', {
    objectId: remote.objectId,
    functionDeclaration: 'function (value) { __svc_take(value); }',
    arguments: [{ objectId: remote.objectId }],
    silent: true,
  });
  const value = taken;
  taken = undefined;
  return value;
}

async function run(message) {
  const { run: cell, code, extension, isLast } = message;
  if (!isLast) watch();
  findPackages();
  running = message;
  count += 1;
  message.name = 'cell-' + count + '.' + extension;
  try {
    for (const [name, text] of Object.entries(message.files ?? {})) writeFile(name, text);
  } catch (error) {
    return finish(cell, { error: describe(error) });
  }
  const answer = await post('Runtime.evaluate', {
    expression: code + '\n//# sourceURL=' + message.name,
    replMode: true,
    objectGroup: 'cell',
    silent: true,
  });
  // A rejection that nothing handles is printed before the cell ends.
  await new Promise(setImmediate);
  if (running !== message) return;
  if (answer.result?.objectId !== undefined) holdsObjects = true;
  if (answer.failure) return finish(cell, { error: interrupted });
  try {
    const value = await valueOf(answer.result);
    if (answer.exceptionDetails) return finish(cell, { error: describe(value, answer.exceptionDetails) });
    const report = value === undefined ? {} : { value: cut(inspect(value, { showProxy: true })) };
    if (!isLast) return finish(cell, report);
    message.report = report;
    server.close();
    control?.unref();
    server.unref();
  } catch (error) {
    finish(cell, { error: describe(error) });
  }
}

function writeFile(name, text) {
  const file = path.resolve(__dirname, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}

const interrupted = {
  ename: 'Interrupted', evalue: 'the cell was interrupted', traceback: ['Interrupted: the cell was interrupted'],
};

function enter({ cwd, env }) {
  process.chdir(cwd);
  Object.assign(process.env, env);
  settle(cwd);
  send({ entered: true });
}

// Where the names of modules in cells are resolved from.
function settle(cwd) {
  const file = path.join(cwd, 'cell.js');
  property('require', createRequire(file));
  property('__filename', file);
  property('__dirname', cwd);
  importer = importerAt(file);
}

function importerAt(file) {
  const importModuleDynamically = vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER ?? ((name) => import(name));
  const options = { filename: file, importModuleDynamically };
  return new vm.Script('(name, options) => import(name, options)', options).runInThisContext();
}

// What npm has installed in the home and for all, after what is beside the cell; npm may have another prefix by now.
const home = homedir();
const givenPath = process.env.NODE_PATH;
let searched = '';
let elsewhere = [];
function findPackages() {
  const roots = npmRoots();
  const wanted = [...(givenPath ? [givenPath] : []), path.join(home, 'node_modules'), ...roots].join(path.delimiter);
  if (wanted === searched) return;
  searched = wanted;
  const kept = process.env.NODE_PATH;
  process.env.NODE_PATH = wanted;
  Module._initPaths();
  if (kept === undefined) delete process.env.NODE_PATH;
  else process.env.NODE_PATH = kept;
  elsewhere = [home, ...roots.map(path.dirname)].map((at) => importerAt(path.join(at, 'cell.js')));
}

// Modules of ECMAScript are not looked for on NODE_PATH.
async function load(name, options) {
  try {
    return await importer(name, options);
  } catch (error) {
    const isPackage = typeof name === 'string' && !/^[./]|^[a-z]+:/i.test(name);
    if (!isPackage || error?.code !== 'ERR_MODULE_NOT_FOUND' || !error.message.includes(' imported from ' + __filename)) throw error;
    for (const other of elsewhere) {
      try { return await other(name, options); } catch (failure) {
        if (failure?.code !== 'ERR_MODULE_NOT_FOUND' || !failure.message.includes(path.sep + 'cell.js')) throw failure;
      }
    }
    throw error;
  }
}

// Node warns of its loader once.
const { emitWarning } = process;
let hasWarned = false;
function quietly(load) {
  if (hasWarned) return load();
  hasWarned = true;
  process.emitWarning = () => {};
  try { return load(); } finally { process.emitWarning = emitWarning; }
}

const hidden = (name, value) => Object.defineProperty(globalThis, name, { value, enumerable: false });
hidden('__svc_take', (value) => { taken = value; });
hidden('__svc_import', async (name, options, names = []) => {
  const module = await quietly(() => load(name, options));
  const missing = names.find((wanted) => !(wanted in module));
  if (missing === undefined) return module;
  throw new SyntaxError("The requested module '" + name + "' does not provide an export named '" + missing + "'");
});
hidden('__svc_meta', {
  get dirname() { return __dirname; },
  get filename() { return __filename; },
  get url() { return pathToFileURL(__filename).href; },
  resolve: (name) => { const found = require.resolve(name); return path.isAbsolute(found) ? pathToFileURL(found).href : found; },
});

// Ends code that does not return, on request of the daemon: a thread of its own, since this one is busy then.
let watcher;
function watch() {
  if (watcher) return;
  const { Worker } = require('node:worker_threads');
  watcher = new Worker(WATCH, { eval: true, execArgv: [], workerData: { token, path: path.join(directory, 'watch') } });
  watcher.unref();
  watcher.on('error', () => {});
}
const WATCH = "const { Session } = require('node:inspector'); const { workerData: { token, path } } = require('node:worker_threads');"
  + "const session = new Session(); session.connectToMainThread();"
  + "require('node:net').createServer((socket) => { socket.on('error', () => {}); socket.write(JSON.stringify({ hello: token }) + '\\n');"
  + "socket.on('data', () => session.post('Runtime.terminateExecution', () => socket.end(JSON.stringify({ ended: true }) + '\\n'))); }).listen(path);";

const failed = (error) => {
  if (running?.isLast) {
    finish(running.run, { error: describe(error) });
    server.unref();
    return;
  }
  try { writeSync(2, 'Uncaught ' + describe(error).traceback.join('\n') + '\n'); } catch {}
};
process.on('uncaughtException', failed);
process.on('SIGINT', () => {});
// What exit handlers of a cell print is part of it: the mark is written after them.
const markAtExit = (code) => { if (running) mark(running.mark, code); };
function markLast() {
  process.off('exit', markAtExit);
  process.on('exit', markAtExit);
}
process.exit = (...code) => {
  markLast();
  return exitProcess.apply(process, code);
};
process.on('beforeExit', () => {
  if (!running?.report || running.isReported) return;
  running.isReported = true;
  markLast();
  last = { done: running.run, count, ...running.report };
  send(last);
});
markLast();

function take(message) {
  if (message.run !== undefined) void run(message);
  else if (message.interrupt !== undefined) interrupt(message.interrupt);
  else if (message.enter !== undefined) enter(message.enter);
  else if (message.leave) process.exit(last?.error ? 1 : 0);
}

const server = net.createServer((socket) => {
  control?.destroy();
  control = socket;
  socket.setEncoding('utf8');
  socket.on('error', () => {});
  send({ hello: token, running: running?.run, last });
  let text = [];
  socket.on('data', (part) => {
    for (let at = part.indexOf('\n'); at >= 0; at = part.indexOf('\n')) {
      text.push(part.slice(0, at));
      part = part.slice(at + 1);
      const line = text.join('');
      text = [];
      take(parse(line));
    }
    text.push(part);
  });
});
settle(process.cwd());
server.listen(path.join(directory, 'control'), () => mark(ready, 0));
})()
//# sourceURL=svc-node-host
`;

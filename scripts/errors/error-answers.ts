import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { App } from '../../api/src/http/app-types.ts';
import { handleErrors } from '../../api/src/http/error-handler.ts';
import { SandboxError } from '../../api/src/sandbox-error.ts';
import { buildApp } from '../../daemon/src/app.ts';
import { readConfig } from '../../daemon/src/config.ts';
import { contentOf, refusalOf } from '../../program/src/server/refusals.ts';
import { ERROR_KINDS, type ErrorExample, type ErrorKind } from './error-kinds.ts';

export interface ErrorAnswer {
  readonly status: number;
  readonly message: string;
  readonly hint: unknown;
}

/** One command may run, so that a second one is refused. */
const MAX_RUNNING = 1;

/** The answers to the example of each kind, from services that live only for this. */
export async function errorAnswers(): Promise<(readonly [ErrorKind, ErrorAnswer])[]> {
  const directory = await mkdtemp(join(tmpdir(), 'errors-'));
  const files = join(directory, 'files');
  await mkdir(files);
  await writeFile(join(files, 'hello.txt'), 'hello\n');
  await using services = new AsyncDisposableStack();
  services.defer(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }));
  const open = async (name: string, env: Record<string, string>, platform?: NodeJS.Platform): Promise<string> => {
    const variables = { SVC_COMMAND_MAX_RUNNING: String(MAX_RUNNING), SVC_STOP_GRACE_SECONDS: '0', ...env };
    const config = { ...readConfig([], variables), runtimeDir: join(directory, name), logLevel: 'silent' as const };
    const app = await buildApp({ ...config, processHost: 'portable' }, undefined, undefined, platform);
    addFaults(app);
    services.defer(() => app.close());
    await app.listen({ host: '127.0.0.1', port: 0 });
    return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  };
  const plain = await open('plain', {});
  const bases = {
    'with a key': await open('key', { SVC_API_KEY: 'the-key' }),
    'on Windows': await open('windows', {}, 'win32'),
  };
  await ask(plain, { method: 'POST', url: '/v2/commands', body: { command: 'sleep 600', mode: 'async' } }, files);
  const answers: (readonly [ErrorKind, ErrorAnswer])[] = [];
  for (const kind of ERROR_KINDS) {
    const { example, status } = kind;
    const base = example.service === undefined ? plain : bases[example.service];
    const asked = example.isMade ? { method: 'GET', url: `/fault/${status}` } : example;
    answers.push([kind, status === 408 ? lateAnswer() : await ask(base, asked, files)]);
  }
  return answers;
}

/** Routes that fail as no request makes a service fail. */
function addFaults(app: App): void {
  void app.register((scope: App, _options, done) => {
    scope.setErrorHandler(handleErrors());
    scope.get('/fault/500', () => {
      throw new Error('a defect');
    });
    scope.get('/fault/507', () => {
      throw new SandboxError('disk_full', 'no space left on the device: /tmp/example/hello.txt');
    });
    done();
  });
}

/** What the server writes to a connection that sends its head too slowly. */
function lateAnswer(): ErrorAnswer {
  const refusal = refusalOf(Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }));
  return { status: Number(refusal.status.split(' ')[0]), ...JSON.parse(contentOf(refusal, '').body) };
}

async function ask(base: string, { method, url, headers, body }: ErrorExample, files: string): Promise<ErrorAnswer> {
  const place = (part: string): string => part.replaceAll('DIR', files);
  const call = request(base + place(url), { method, agent: false, headers: { ...headers } });
  const answered = once(call, 'response');
  const content = typeof body === 'object' ? JSON.stringify(body) : body;
  // The head alone announces a body that is too long.
  if (headers?.['content-length'] === undefined) call.end(content && place(content));
  else call.flushHeaders();
  const [answer] = await answered;
  const { message, hint } = JSON.parse(await text(answer));
  call.destroy();
  const shown = (part: unknown): unknown => (typeof part === 'string' ? part.replaceAll(files, '/tmp/example') : part);
  return { status: answer.statusCode, message: String(shown(message)), hint: shown(hint) };
}

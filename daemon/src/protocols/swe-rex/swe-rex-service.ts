import type { IncomingMessage } from 'node:http';
import { RunContext } from '../../core/account/run-context.ts';
import type { CommandsPort } from '../../core/ports/commands-port.ts';
import type { FilesPort } from '../../core/ports/files-port.ts';
import type { TerminalsPort } from '../../core/ports/terminals-port.ts';
import { sendJsonPieces } from '../../http/protocols/json-pieces.ts';
import type { ProtocolCall, ProtocolService } from '../../http/protocols/protocol.ts';
import type { ProtocolCore } from '../../protocol.ts';
import { Answered } from './answered.ts';
import { type Answer, answerOf, detailOf, failureOf } from './answers.ts';
import { ActionBody, CloseSessionBody, CommandBody, CreateSessionBody, readBody } from './bodies.ts';
import { execute } from './execute.ts';
import { FileRoutes } from './file-routes.ts';
import { Expect } from './session/expect.ts';
import { SessionStore } from './session/session-store.ts';
import { Sessions } from './session/sessions.ts';

interface SweRexPorts {
  readonly commands: CommandsPort;
  readonly files: FilesPort;
  readonly terminals: TerminalsPort;
}

type Handler = (req: IncomingMessage, gone: AbortSignal) => Promise<object>;

/** The runtime server of SWE-ReX over the services of this sandbox. */
export class SweRexService implements ProtocolService {
  readonly #core: ProtocolCore;
  readonly #routes: Readonly<Record<string, Handler>>;
  readonly #answered = new Answered();
  readonly #expect = new Expect();
  readonly #closing = new AbortController();

  constructor(core: ProtocolCore, { commands, files, terminals }: SweRexPorts, directory: string) {
    this.#core = core;
    const { config, platform, runtime } = core;
    const sessions = new Sessions({
      terminals,
      files,
      expect: this.#expect,
      store: new SessionStore(directory, runtime.space),
    });
    const context = new RunContext(config.defaultUser, platform);
    const home = (): string => context.homeOf(context.identityOf(undefined));
    const routes = new FileRoutes(files, home);
    const type = { session_type: 'bash' };
    this.#routes = {
      'GET /': async () => ({ message: 'hello world' }),
      'GET /is_alive': async () => ({ is_alive: true, message: '' }),
      'POST /create_session': async (req, gone) => {
        const body = await readBody(req, CreateSessionBody);
        return { output: await sessions.create(body, gone), ...type };
      },
      'POST /run_in_session': async (req, gone) => await sessions.run(await readBody(req, ActionBody), gone),
      'POST /close_session': async (req) => {
        await sessions.close((await readBody(req, CloseSessionBody)).session);
        return type;
      },
      'POST /execute': async (req, gone) => await execute(await readBody(req, CommandBody), { commands, home }, gone),
      'POST /read_file': (req) => routes.read(req),
      'POST /write_file': (req) => routes.write(req),
      'POST /upload': (req, gone) => routes.upload(req, gone),
      'POST /close': async () => {
        await sessions.closeAll();
        if (config.protocolShutdown) core.stop();
        return {};
      },
    };
  }

  async serve({ req, res, target, requestId }: ProtocolCall): Promise<void> {
    const gone = new AbortController();
    res.once('close', () => {
      if (!res.writableFinished) gone.abort();
    });
    const [path = '/'] = target.split('?', 1);
    const handler = this.#routes[`${req.method} ${path}`];
    const id = [req.headers['x-request-id']].flat()[0];
    const request = { id: req.method === 'POST' ? id : undefined, gone: gone.signal, isWhole: () => req.complete };
    const { status, value } = handler
      ? await this.#answered.once(request, (left) => this.#answer(handler, req, requestId, left))
      : this.#unknown(path);
    if (gone.signal.aborted) {
      res.destroy();
      return;
    }
    await sendJsonPieces(res, status, value, gone.signal).catch(() => res.destroy());
  }

  #unknown(path: string): Answer {
    const isKnown = ['GET', 'POST'].some((method) => this.#routes[`${method} ${path}`]);
    return isKnown ? detailOf(405, 'Method Not Allowed') : detailOf(404, 'Not Found');
  }

  async #answer(handler: Handler, req: IncomingMessage, reqId: string, gone: AbortSignal): Promise<Answer> {
    try {
      return answerOf(await handler(req, AbortSignal.any([gone, this.#closing.signal])));
    } catch (error) {
      const answer = failureOf(error);
      if (answer.status === 500) this.#core.logger.error({ err: error, reqId }, 'unexpected error of the system');
      return answer;
    } finally {
      this.#core.activity.note('file');
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#expect[Symbol.asyncDispose]();
  }
}

import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { PlaceQueue } from '../../../core/place-queue.ts';
import type { CellRequest } from '../execution/cell-report.ts';
import type { Place } from '../run/place.ts';
import type { Prewarmed } from '../run/prewarmed.ts';
import { specFor } from '../run/spec-for.ts';
import { takeTurn } from '../run/turn.ts';
import { hasEnded } from '../runtime/has-ended.ts';
import type { InterpreterProcesses } from '../runtime/interpreter-processes.ts';
import type { Served } from '../runtime/language-catalogue.ts';
import type { Interpreter, SessionTable } from '../runtime/language-runtime.ts';
import type { Session } from './session.ts';
import type { SessionInfo, SessionRequest } from './session-info.ts';
import type { SessionTables, TableLimits } from './session-tables.ts';

/** Interpreters that keep their state between calls. */
export class SessionService implements AsyncDisposable {
  readonly #tables: SessionTables;
  readonly #processes: InterpreterProcesses;
  readonly #prewarmed: Prewarmed;
  readonly #waiting = { kernel: new PlaceQueue(), node: new PlaceQueue(), bash: new PlaceQueue() };
  #isClosed = false;

  constructor(tables: SessionTables, processes: InterpreterProcesses, prewarmed: Prewarmed) {
    this.#tables = tables;
    this.#processes = processes;
    this.#prewarmed = prewarmed;
  }

  limits(table: SessionTable): TableLimits {
    return this.#tables.limits(table);
  }

  list(table?: SessionTable): SessionInfo[] {
    return this.#tables.list(table).map((session) => session.info());
  }

  /** @throws SandboxError `not_found` */
  get(id: string, table?: SessionTable): Session {
    return this.#tables.get(id, table);
  }

  /** As `placeFor`; without an id it waits for a place while all are busy, up to 10 s and the timeout of the cell. */
  async placeInTurn(request: CellRequest, served: Served, gone?: AbortSignal): Promise<Place> {
    if (request.sessionId !== undefined) return this.placeFor(request, served);
    const { table } = served.runtime;
    const hasRoom = () => this.#isClosed || this.#tables.hasRoom(table);
    using _turn = await this.#waiting[table].turn(hasRoom, request.timeoutSeconds, gone);
    return this.placeFor(request, served);
  }

  /** The turn of a session, which is made if none exists. @throws as `create` */
  placeFor(request: CellRequest, served: Served): Place {
    let { session } = this.#findOrOpen(request, served);
    const sessionId = session.id;
    let held = this.#tables.hold(session);
    let turn: Disposable | undefined;
    let interpreter: Interpreter | undefined;
    let running: string | undefined;
    return {
      sessionId,
      take: async (ms, gone) => {
        const deadline = performance.now() + ms;
        for (;;) {
          const wait = { ms: Math.max(deadline - performance.now(), 0), of: ms };
          turn = await takeTurn(session.turns, wait, gone, () => busy(session));
          if (!session.isClosed) break;
          // The cell before this one has ended the session: its id names another one from now on.
          turn[Symbol.dispose]();
          held[Symbol.dispose]();
          ({ session } = this.#findOrOpen({ ...request, sessionId }, served));
          held = this.#tables.hold(session);
        }
        interpreter = await session.interpreter;
      },
      begin: (executionId) => {
        if (interpreter === undefined) throw new Error('no interpreter was taken');
        running = executionId;
        session.running = executionId;
        session.executionCount += 1;
        return interpreter;
      },
      leave: async () => {
        if (running !== undefined && session.running === running) session.running = undefined;
        // The caller has its answer: what it asks now shows the end of the cell.
        session.touch();
        if (interpreter && (await hasEnded(interpreter.process))) await this.#dropWith(session, interpreter);
        turn?.[Symbol.dispose]();
        held[Symbol.dispose]();
      },
    };
  }

  /** @throws SandboxError `capacity`, `conflict` if the session runs another kernel, `unavailable` */
  async create(request: SessionRequest, served: Served): Promise<{ session: SessionInfo; created: boolean }> {
    const { session, created } = this.#findOrOpen(request, served);
    using _held = this.#tables.hold(session);
    await session.interpreter;
    try {
      this.#tables.requireWritten();
    } catch (error) {
      if (created) await this.#tables.remove(session);
      throw error;
    }
    return { session: session.info(), created };
  }

  /** Returns whether there was one. Without a table, those of all tables with the id. */
  async delete(id: string, table?: SessionTable): Promise<boolean> {
    const sessions = this.#tables.list(table).filter((session) => session.id === id);
    const removed = await Promise.all(sessions.map((session) => this.#tables.remove(session)));
    return removed.includes(true);
  }

  /** Asks the cell that runs in the session to end; answers whether one ran. @throws SandboxError `not_found` */
  async interrupt(id: string, table?: SessionTable): Promise<boolean> {
    const session = this.#tables.get(id, table);
    if (session.running === undefined) return false;
    await (await session.interpreter).interrupt();
    return true;
  }

  /** As `interrupt`, by the id of an execution. */
  async interruptCell(executionId: string): Promise<boolean> {
    const session = this.#tables.list().find(({ running }) => running === executionId);
    if (session === undefined) return false;
    await (await session.interpreter).interrupt();
    return true;
  }

  /** Ends the interpreter with the cell that runs, and starts another of the same kind. @throws as `create` */
  async restart(id: string, table?: SessionTable): Promise<SessionInfo> {
    const session = this.#tables.get(id, table);
    using _held = this.#tables.hold(session);
    session.replace(async (before) => {
      this.#tables.forget(session);
      await before[Symbol.asyncDispose]();
      return await this.#prewarmed.open(session.runtime, session.spec);
    });
    this.#tables.track(session);
    await session.interpreter;
    return session.info();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.#tables[Symbol.asyncDispose]();
  }

  #findOrOpen(request: SessionRequest, served: Served): { readonly session: Session; readonly created: boolean } {
    const { runtime } = served;
    const known = request.sessionId === undefined ? undefined : this.#tables.find(request.sessionId, runtime.table);
    if (known && !known.isClosed) {
      requireSame(known, served);
      this.#tables.name(known);
      return { session: known, created: false };
    }
    const { spec } = specFor(request, served, this.#processes);
    const idleSeconds = request.idleSeconds ?? this.limits(runtime.table).idleSeconds;
    const terms = { id: request.sessionId, runtime, spec, idleSeconds };
    return { session: this.#tables.create(terms, () => this.#prewarmed.open(runtime, spec)), created: true };
  }

  /** After `leave` no call finds a session whose process has ended. */
  async #dropWith(session: Session, interpreter: Interpreter): Promise<void> {
    const current = await session.interpreter.catch(() => interpreter);
    if (current === interpreter) await this.#tables.remove(session);
  }
}

/** JavaScript and TypeScript share a session; two kernels do not. */
function requireSame(session: Session, { runtime, variant, language }: Served): void {
  if (session.runtime === runtime && (runtime.table !== 'kernel' || session.spec.variant === variant)) return;
  throw new SandboxError('conflict', `session ${session.id} runs ${session.spec.language}, not ${language}`, {
    hint: 'use another session id, or delete the session',
  });
}

function busy(session: Session): { what: string; holders: object[] } {
  return { what: `session ${session.id} is busy`, holders: [{ executionId: session.running ?? null }] };
}

import { expect } from 'vitest';
import { follow, type Output } from './follow-execution.ts';

/** A service at its public port. */
export interface ServiceAddress {
  readonly url: string;
  readonly key: string;
}

/** What a cell gave, as far as its route shows it. */
export interface CellAnswer {
  readonly status: string;
  /** Streams, plain values and tracebacks. */
  readonly text: string;
  readonly html: string;
  readonly pictures: readonly Buffer[];
}

interface CommandAnswer {
  readonly exitCode: number | null;
  readonly text: string;
  readonly hint: string | null;
}

/** One way to call the service. */
export interface Caller {
  /** Whether a session keeps variables. */
  readonly hasSessions: boolean;
  /** Whether answers have the HTML of a value. */
  readonly hasHtml: boolean;
  command(text: string): Promise<CommandAnswer>;
  cell(code: string, session: string): Promise<CellAnswer>;
  /** Has the cell interrupted, after it has printed `until` if the route shows it before the end. */
  interrupted(code: string, session: string, until: string): Promise<CellAnswer>;
  /** Pieces of the text of the cell in the order in which they arrived. */
  pieces(code: string, session: string): Promise<readonly string[]>;
}

/** Seconds that a cell or a command may take. */
const PATIENCE = 180;
/** Seconds after which a call interrupts an endless cell, for routes that interrupt by a timeout alone. */
const SHORT = 2;

class Client {
  readonly #service: ServiceAddress;

  constructor(service: ServiceAddress) {
    this.#service = service;
  }

  // biome-ignore lint/suspicious/noExplicitAny: a caller reads the fields of its route.
  async post(path: string, body: object): Promise<any> {
    const { url, key } = this.#service;
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await answer.text();
    expect([path, answer.status, answer.status === 200 ? '' : text]).toEqual([path, 200, '']);
    return JSON.parse(text);
  }

  follow(path: string, until?: string): Promise<readonly string[]> {
    return follow(this.#service.url + path, this.#service.key, until);
  }
}

function answerOf({ status, outputs }: { status: string; outputs: readonly Output[] }): CellAnswer {
  const dataOf = (type: string) => outputs.flatMap(({ data }) => (data?.[type] === undefined ? [] : [data[type]]));
  const text = outputs.map((output) => {
    return output.text ?? output.data?.['text/plain'] ?? [output.ename, ...(output.traceback ?? [])].join('\n');
  });
  const pictures = dataOf('image/png').map((png) => Buffer.from(png, 'base64'));
  return { status, text: text.join(''), html: dataOf('text/html').join(''), pictures };
}

function v2(service: ServiceAddress): Caller {
  const client = new Client(service);
  const execute = async (code: string, session: string, more: object = {}) => {
    const body = { language: 'python', code, session_id: session, timeout: PATIENCE, ...more };
    return (await client.post('/v2/code/execute', body)).data;
  };
  return {
    hasSessions: true,
    hasHtml: true,
    command: async (command) => {
      const { data, hint } = await client.post('/v2/commands', { command, timeout: PATIENCE });
      return { exitCode: data.exit_code, text: data.output, hint };
    },
    cell: async (code, session) => answerOf(await execute(code, session)),
    interrupted: async (code, session, until) => {
      const { execution_id } = await execute(code, session, { async: true });
      const path = `/v2/code/executions/${execution_id}`;
      await client.follow(path, until);
      await client.post(`/v2/code/sessions/${session}/interrupt`, {});
      return { status: 'error', text: (await client.follow(path)).join(''), html: '', pictures: [] };
    },
    pieces: async (code, session) => {
      const { execution_id } = await execute(code, session, { async: true });
      return client.follow(`/v2/code/executions/${execution_id}`);
    },
  };
}

/** The routes of 1.x: nothing of a cell is seen before its end, and a timeout interrupts it. */
function v1(route: 'code' | 'jupyter') {
  return (service: ServiceAddress): Caller => {
    const client = new Client(service);
    const cell = async (code: string, session: string, timeout = PATIENCE) => {
      const language = route === 'code' ? { language: 'python' } : {};
      const body = { ...language, code, session_id: session, timeout };
      return answerOf((await client.post(`/v1/${route}/execute`, body)).data);
    };
    return {
      hasSessions: true,
      hasHtml: true,
      command: async (command) => {
        const { data, hint } = await client.post('/v1/bash/exec', { command, timeout: PATIENCE });
        return { exitCode: data.exit_code, text: data.stdout + data.stderr, hint };
      },
      cell,
      interrupted: (code, session) => cell(code, session, SHORT),
      pieces: async (code, session) => [(await cell(code, session)).text],
    };
  };
}

interface ToolContent {
  readonly type: string;
  readonly text?: string;
  readonly data?: string;
}

/** The tools: a cell runs in a fresh process. */
function mcp(service: ServiceAddress): Caller {
  const client = new Client(service);
  const tool = async (name: string, args: object) => {
    const params = { name, arguments: args };
    return (await client.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params })).result;
  };
  const cell = async (code: string, timeout = PATIENCE): Promise<CellAnswer> => {
    const { content, isError } = await tool('sandbox_execute_code', { code, timeout });
    const parts: readonly ToolContent[] = content;
    const pictures = parts.filter(({ type }) => type === 'image').map(({ data = '' }) => Buffer.from(data, 'base64'));
    const text = parts.map((part) => part.text ?? '').join('');
    return { status: isError ? 'error' : 'ok', text, html: '', pictures };
  };
  return {
    hasSessions: false,
    hasHtml: false,
    command: async (cmd) => {
      const { content } = await tool('sandbox_execute_bash', { cmd, timeout: PATIENCE });
      const { exit_code, output, hint = null } = JSON.parse(content[0].text);
      return { exitCode: exit_code, text: output, hint };
    },
    cell: (code) => cell(code),
    interrupted: (code) => cell(code, SHORT),
    pieces: async (code) => [(await cell(code)).text],
  };
}

/** The ways to call the service by their names. */
export const CALLERS = {
  'REST v2': v2,
  '/v1/jupyter': v1('jupyter'),
  '/v1/code': v1('code'),
  MCP: mcp,
} as const;

export type CallerName = keyof typeof CALLERS;

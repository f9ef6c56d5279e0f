import type { TestApp } from '../../app.fixture.ts';
import type { Result } from './cells.fixture.ts';

/** Runs cells of a language in one session and answers the `data` of each. */
export function cellsOf(daemon: TestApp, language: string, session: object = { session_id: 's' }) {
  return async (code: string, more: object = {}): Promise<Result> => {
    const answer = await daemon.post('/v2/code/execute', { language, code, timeout: 60, ...session, ...more });
    if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${answer.body}`);
    return answer.json().data;
  };
}

/** The error of the code, which stands before that of its timeout. */
export function failureOf({ outputs }: Result): { ename: string; evalue: string; traceback: string } | undefined {
  const error = outputs.find((output) => output.output_type === 'error');
  if (error === undefined) return undefined;
  return { ename: error.ename ?? '', evalue: error.evalue ?? '', traceback: (error.traceback ?? []).join('\n') };
}

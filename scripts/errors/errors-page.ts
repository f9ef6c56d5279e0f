import type { ErrorAnswer } from './error-answers.ts';
import type { ErrorExample, ErrorKind } from './error-kinds.ts';

const INTRODUCTION = `# Errors

An error is \`{success: false, message, data, hint}\`: \`message\` says in one line what is wrong, \`hint\` the next step,
which every error has. The table has the kinds of errors of \`/v1\` and \`/v2\`; \`npm run docs\` writes it from the answers
of a running service. \`error_type\` of a file operation is in [contract.md](contract.md#13-file-errors); on \`/v1/file/*\`
such an error has status 200. Repeat a call after 408, 429 and 503: no command, cell or
action has begun then.

| status | meaning | next step | example | its answer |
|---|---|---|---|---|
`;
/** Of an answer, which differs from call to call. */
const REQUEST_ID = /request id \S+/;

/** The content of docs/errors.md. */
export function errorsPage(answers: readonly (readonly [ErrorKind, ErrorAnswer])[]): string {
  const rows = answers.map(([kind, answer]) => row(kind, answer));
  return `${INTRODUCTION}${rows.join('\n')}\n`;
}

function row({ status, meaning, nextStep, example }: ErrorKind, { message, hint }: ErrorAnswer): string {
  const stop = /[.?]$/.test(message) ? '' : '.';
  const answer = `${message}${stop} Hint: ${hint}`.replace(REQUEST_ID, 'request id ID');
  return `| ${[status, meaning, nextStep, code(callText(example)), answer].map(String).map(cell).join(' | ')} |`;
}

function callText({ method, url, body, shown }: ErrorExample): string {
  const content = typeof body === 'object' ? JSON.stringify(body) : body;
  const call = [method, url, ...(content ? [content] : []), ...(shown === undefined ? [] : [`(${shown})`])].join(' ');
  return call.replaceAll('DIR', '/tmp/example');
}

const code = (text: string): string => `\`${text}\``;

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

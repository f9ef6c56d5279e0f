import { type Document, operationsOf } from './document.ts';

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  access: 'Tickets and cookies: who may come in, and who no more.',
  bash: 'Commands of a shell, with sessions that share a directory and variables.',
  browser: 'A Chromium: tabs, pages, elements, pictures, cookies and requests.',
  checkpoints: 'Directories as they were: taken, compared, restored.',
  code: 'Cells of Python, JavaScript, TypeScript and bash, with sessions that keep their state.',
  commands: 'Programs with output by offset, input, signals and limits, and sessions that they share.',
  computer: 'The desktop: pictures of it, pointer and keyboard.',
  file: 'Files and directories; a failed operation answers 200 with success false.',
  files: 'Files and directories: read, write, edit, search, upload, download and whole trees.',
  jupyter: 'Cells of a Jupyter kernel.',
  nodejs: 'Cells of JavaScript.',
  operations: 'Health, readiness and figures for operators.',
  ports: 'Connections to programs that listen in the sandbox.',
  sandbox: 'What the sandbox is, has and does.',
  shell: 'Shells in terminals: one command after another, with the text of the terminal.',
  system: 'Processes of the sandbox and what it uses.',
  terminals: 'Terminals with a screen and a history, over HTTP and WebSocket.',
  watch: 'Changes of files, by polling or as a stream.',
};

/** Lists the tags of the operations with their descriptions. */
export function describeTags(document: Document): void {
  const used = new Set(operationsOf(document).flatMap(({ operation }) => operation.tags ?? []));
  document['tags'] = [...used].sort().map((name) => ({ name, description: DESCRIPTIONS[name] ?? name }));
}

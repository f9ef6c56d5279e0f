import type { CommandSpec, OptionSpec } from './command-spec.ts';

const MANY = Number.POSITIVE_INFINITY;
const CWD: OptionSpec = { name: 'cwd', value: 'DIRECTORY', description: 'directory; default: the home' };

export const GLOBAL_OPTIONS: readonly OptionSpec[] = [
  { name: 'url', value: 'URL', description: 'address of the sandbox; default: SANDBOX_URL, else that of login' },
  { name: 'json', description: 'print JSON' },
  { name: 'help', short: 'h', description: 'show the help of a command' },
];

export const COMMANDS: readonly CommandSpec[] = [
  {
    name: 'run',
    usage: '[-d] [--cwd DIRECTORY] [--timeout SECONDS] -- COMMAND…',
    summary: 'run a command; its exit code is that of sandbox',
    details: 'One argument is a script for the shell. More are a program and its arguments, without a shell.',
    options: [
      { name: 'detach', short: 'd', description: 'print the id and leave it running' },
      CWD,
      { name: 'timeout', value: 'SECONDS', description: 'end it after that time' },
    ],
    arguments: [1, MANY],
    load: async () => (await import('./commands/run.ts')).runCommand,
  },
  {
    name: 'ps',
    usage: '[-a]',
    summary: 'list the commands that run',
    options: [{ name: 'all', short: 'a', description: 'also those that ended' }],
    arguments: [0, 0],
    load: async () => (await import('./commands/run.ts')).listCommands,
  },
  {
    name: 'logs',
    usage: '[-f] ID',
    summary: 'print the output of a command',
    options: [{ name: 'follow', short: 'f', description: 'until it ends; the exit code is that of the command' }],
    arguments: [1, 1],
    load: async () => (await import('./commands/run.ts')).logs,
  },
  {
    name: 'kill',
    usage: '[--signal SIGNAL] ID',
    summary: 'signal a command with all its processes',
    options: [{ name: 'signal', value: 'SIGNAL', description: 'default: SIGTERM' }],
    arguments: [1, 1],
    load: async () => (await import('./commands/run.ts')).kill,
  },
  {
    name: 'shell',
    usage: '[ID]',
    summary: 'open a terminal, or attach to one',
    details: 'Ctrl-] leaves it; a terminal with an id continues.',
    arguments: [0, 1],
    load: async () => (await import('./commands/shell.ts')).shell,
  },
  {
    name: 'ls',
    usage: '[PATH]',
    summary: 'list a directory',
    arguments: [0, 1],
    load: async () => (await import('./commands/files.ts')).list,
  },
  {
    name: 'cat',
    usage: 'PATH…',
    summary: 'print files',
    arguments: [1, MANY],
    load: async () => (await import('./commands/files.ts')).cat,
  },
  {
    name: 'cp',
    usage: '[-r] SOURCE TARGET',
    summary: 'copy a file or a directory between this machine and the sandbox',
    details: 'The path in the sandbox has `sandbox:` in front, such as sandbox:~/a.txt.',
    options: [{ name: 'recursive', short: 'r', description: 'copy a directory' }],
    arguments: [2, 2],
    load: async () => (await import('./commands/files.ts')).copy,
  },
  {
    name: 'watch',
    usage: '[PATH]',
    summary: 'print changes below a path until Ctrl-C',
    arguments: [0, 1],
    load: async () => (await import('./commands/files.ts')).watch,
  },
  {
    name: 'code',
    usage: '[-l LANGUAGE] [FILE]',
    summary: 'run code from a file or stdin',
    options: [{ name: 'language', short: 'l', value: 'LANGUAGE', description: 'default: python' }],
    arguments: [0, 1],
    load: async () => (await import('./commands/code.ts')).code,
  },
  {
    name: 'port',
    usage: 'PORT',
    summary: 'print the address of a port of the sandbox',
    arguments: [1, 1],
    load: async () => (await import('./commands/service.ts')).port,
  },
  {
    name: 'ticket',
    usage: '[--ttl SECONDS] [--uses NUMBER] PATH',
    summary: 'print a link that works without the key',
    options: [
      { name: 'ttl', value: 'SECONDS', description: 'how long it is valid; default 30' },
      { name: 'uses', value: 'NUMBER', description: 'requests; default 1' },
    ],
    arguments: [1, 1],
    load: async () => (await import('./commands/service.ts')).ticket,
  },
  {
    name: 'info',
    usage: '',
    summary: 'print what the sandbox is',
    arguments: [0, 0],
    load: async () => (await import('./commands/service.ts')).info,
  },
  {
    name: 'mcp',
    usage: '',
    summary: 'serve the tools of the sandbox on stdin and stdout',
    details: 'For clients of MCP that start a program.',
    arguments: [0, 0],
    load: async () => (await import('./commands/mcp.ts')).mcp,
  },
  {
    name: 'login',
    usage: '[URL]',
    summary: 'store the address, and a key that is read from stdin',
    details: 'The file is in the configuration directory of the account, with mode 0600.',
    arguments: [0, 1],
    load: async () => (await import('./commands/login.ts')).login,
  },
  {
    name: 'completion',
    usage: 'bash|zsh|fish',
    summary: 'print completions for a shell',
    arguments: [1, 1],
    load: async () => (await import('./completion.ts')).completion,
  },
];

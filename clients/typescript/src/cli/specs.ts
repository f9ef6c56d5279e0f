import type { CommandSpec, OptionSpec } from './command-spec.ts';

const MANY = Number.POSITIVE_INFINITY;
const CWD: OptionSpec = { name: 'cwd', value: 'DIRECTORY', description: 'directory; default: the home' };

export const COMMANDS: readonly CommandSpec[] = [
  {
    name: 'run',
    usage: '[-d|-i] [--cwd DIRECTORY] [--timeout SECONDS] [--] COMMAND…',
    summary: 'run a command; its exit code is that of sandbox',
    details:
      'One argument is a script for the shell. More are a program and its arguments, without a shell. Options of sandbox\n' +
      'stand before the command. Ctrl-C is for the command; a second one kills it.',
    optionsFirst: true,
    options: [
      { name: 'detach', short: 'd', description: 'print the id and leave it running' },
      { name: 'stdin', short: 'i', description: 'pass stdin on' },
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
    name: 'edit',
    usage: 'PATH',
    summary: 'change a file of the sandbox in the editor of this machine',
    details: 'The editor is VISUAL, EDITOR or vi. A file that was changed in the sandbox since is not overwritten.',
    arguments: [1, 1],
    load: async () => (await import('./commands/edit.ts')).edit,
  },
  {
    name: 'watch',
    usage: '[PATH]',
    summary: 'print changes below a path until Ctrl-C',
    arguments: [0, 1],
    load: async () => (await import('./commands/files.ts')).watch,
  },
  {
    name: 'checkpoint',
    usage:
      'create [PATH]|list [PATH]|diff ID [ID]|restore ID [PATH…]|cat ID PATH|export ID|import FILE [PATH]|delete ID',
    summary: 'take checkpoints of a directory, compare them and restore them',
    details:
      'Without PATH, create takes one of the home. diff compares with the directory as it is, or with another checkpoint.\n' +
      'restore takes a checkpoint first, prints its id, and exits with 1 if a path could not be restored. cat prints a\n' +
      'file as it was, export a tar archive of all, which import makes a checkpoint of PATH.',
    options: [
      { name: 'label', value: 'TEXT', description: 'create, import: what the checkpoint is for' },
      { name: 'exclude', value: 'PATTERNS', description: 'create: what to leave out, with commas between' },
      { name: 'text', description: 'diff: with the changed lines of text files' },
      { name: 'dry-run', description: 'restore: print the changes and make none' },
      { name: 'delete-new', description: 'restore: remove what was added since' },
    ],
    arguments: [1, MANY],
    load: async () => (await import('./commands/checkpoint.ts')).checkpoint,
  },
  {
    name: 'timeline',
    usage: '',
    summary: 'print what happened in the sandbox, in one order',
    details:
      'The newest events, or the oldest after --after. A BOUND is the number of an event, or a time such as\n' +
      '2026-01-31T14:03:00Z. The service keeps them with SVC_RECORD=on.',
    options: [
      { name: 'after', value: 'BOUND', description: 'only events after it' },
      { name: 'before', value: 'BOUND', description: 'only events before it' },
      { name: 'kinds', value: 'KINDS', description: 'such as command,file.written' },
      { name: 'actor', value: 'NAME', description: 'of a key, a protocol, or an X-Actor' },
      { name: 'grep', value: 'TEXT', description: 'part of a text of the event' },
      { name: 'limit', value: 'N', description: 'default: 100' },
      { name: 'follow', description: 'go on until Ctrl-C' },
    ],
    arguments: [0, 0],
    load: async () => (await import('./commands/timeline.ts')).timeline,
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
    usage: '[--open] PORT',
    summary: 'print the address of a port of the sandbox',
    options: [
      { name: 'open', description: 'show it in the browser of this machine (BROWSER, else that of the system)' },
    ],
    arguments: [1, 1],
    load: async () => (await import('./commands/service.ts')).port,
  },
  {
    name: 'forward',
    usage: 'PORT[:LOCAL]',
    summary: 'listen on this machine for a port of the sandbox, until Ctrl-C',
    details:
      'It listens on 127.0.0.1, for at most 64 connections at once. LOCAL 0 selects a free port. A connection that is cut\n' +
      'is reset, and the reason is printed.',
    arguments: [1, 1],
    load: async () => (await import('./commands/forward.ts')).forward,
  },
  {
    name: 'browser',
    usage: 'open URL|snapshot|screenshot [FILE]',
    summary: 'open a page, or print the page that was shown last',
    arguments: [1, 2],
    load: async () => (await import('./commands/pictures.ts')).browser,
  },
  {
    name: 'desktop',
    usage: 'screenshot [FILE]|record [start|stop|status]',
    summary: 'take a picture of the desktop, or record it',
    arguments: [1, 2],
    load: async () => (await import('./commands/pictures.ts')).desktop,
  },
  {
    name: 'doctor',
    usage: '',
    summary: 'print what the sandbox has, and how to get what is missing',
    details: 'The exit code is 1 if something is missing that it needs.',
    arguments: [0, 0],
    load: async () => (await import('./commands/service.ts')).doctor,
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
    details:
      'For clients of MCP that start a program. At most 64 requests wait for their responses. A request gets an error if\n' +
      'the sandbox sends nothing for 90 s. After the end of stdin it ends with its last response.',
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

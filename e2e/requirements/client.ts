import { type Requirement, section } from './requirement.ts';

/** The TypeScript client. */
export const CLIENT: readonly Requirement[] = [
  ...section('docs/clients.md', {
    'client.run': 'run streams the output of a command and returns its end',
    'client.run-failed': 'a command that fails is an exception with its result; check: false makes it a result',
    'client.errors': 'an error has status, message, hint and the field that is wrong',
    'client.tail': 'the memory of a result does not depend on the size of the output',
    'client.resume': 'output over cut connections has each byte once, also bytes that are not UTF-8',
    'client.once': 'a start that is cut before its answer is repeated and starts nothing twice',
    'client.lines': 'lines are whole, from an offset on, of either stream',
    'client.stdin': 'stdin is written in order, each byte once, over cut connections and beyond what the service holds',
    'client.dispose': 'a command that is held is killed at the end of its block',
    'client.abort': 'a signal ends the wait and not the command',
    'client.port': 'port waits for a listener, and fails if the command ends before',
    'client.gives-up': 'without a connection a call ends after retryFor seconds',
    'client.unknown': 'a call that must not run twice is not repeated after a cut; the error says that it may have run',
    'client.key': 'the key is sent in a header, and a ticket stands for it',
    'client.prefix': 'the client works below the prefix of a proxy',
    'client.url': 'an address that does not begin with http or https is refused',
    'client.files': 'files are written, read, listed, searched, changed and removed',
    'client.home': 'a path without a slash in front is below the home of the account',
    'client.upload': 'an upload in pieces resumes after cuts, and its checksum is compared',
    'client.upload-resume': 'an upload continues an earlier one, unless that had other bytes',
    'client.download': 'a download resumes after cuts, and a change of the file is an error',
    'client.tree': 'push and pull copy directories with modes and links',
    'client.tree-bounds': 'no link and no name leads a file out of the local target',
    'client.terminal': 'a terminal types, shows its screen, runs commands, resizes and closes',
    'client.terminal-resume': 'output of a terminal over cut connections has each byte once',
    'client.notebook': 'a notebook keeps its state, and gives text, images and errors of a cell',
    'client.notebook-once': 'a cell whose connection is cut runs once, and each output is delivered once',
    'client.browser': 'calls of browser and desktop have the fields that the service wants, and its hints',
    'client.tools': 'the tools of the sandbox in the forms of Anthropic, OpenAI, the AI SDK and MCP',
    'client.cuts':
      'under cuts of every connection and kills of the daemon no byte is lost or repeated, nothing runs twice',
    'client.watch': 'a watch reports each change once over cut connections, and a restart of the daemon as overflow',
  }),
];

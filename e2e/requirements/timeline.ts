import { type Requirement, section } from './requirement.ts';

export const TIMELINE: readonly Requirement[] = [
  ...section('docs/recorder.md', {
    'timeline.off': 'without SVC_RECORD=on nothing is kept and GET /v2/timeline answers 501; other values are refused',
    'timeline.commands': 'the begin, input, signals and end of a command are in one order with ids, ranges and actor',
    'timeline.terminals': 'terminals are opened, resized, execute and end, and their output is in ranges that join',
    'timeline.cells': 'cells have code, session and end',
    'timeline.files': 'changes of files by routes have path, operation and the state after them',
    'timeline.actions': 'actions of browser and desktop and calls of MCP are there without typed text',
    'timeline.state': 'GET /v2/timeline/at/{seq} has the commands, terminals, cells and files of that moment',
    'timeline.keys': 'a change of the keys is there by name',
    'timeline.claim': 'a claim begins a new timeline',
    'timeline.pages':
      'pages go forward and backward, filters choose kinds, actor and text, and a wait ends with an event',
    'timeline.times': 'a time bounds a page as a number does; wrong values are 422 and name what was expected',
    'timeline.live':
      'NDJSON and Server-Sent Events follow the events, and Last-Event-ID resumes without loss or repetition',
    'timeline.restart': 'the numbers continue over restarts',
    'timeline.kill': 'after SIGKILL the numbers continue, daemon.started marks the gap, and no line is wrong',
    'timeline.bounds': 'the oldest events are removed beyond SVC_RECORD_MAX_BYTES, and a reader behind them learns it',
    'timeline.full-disk': 'a full disk drops events, says how many and which numbers, and erases none',
    'timeline.secrets': 'keys, tickets, cookies and what SVC_RECORD_REDACT matches never enter the timeline',
    'timeline.scopes': 'the timeline needs the scope read, mcp or all; scopes of paths do not suffice',
    'timeline.many': '10,000 events are kept in order and paged without loss',
  }),
];

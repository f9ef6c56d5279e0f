import { type Requirement, section } from './requirement.ts';

export const APP: readonly Requirement[] = [
  ...section('docs/contract.md §10, the app at /', {
    'app.before-key': 'before the key / is one document that loads nothing; the files of the app require the key',
    'app.policy':
      'the policy of the document names one script by a nonce, and forbids inline styles, foreign content, framing and text that becomes markup',
    'app.state': 'the document has status, applications, ports and resources as data, which no text of them can leave',
    'app.overview': 'the overview shows status, resources, activity, applications and listening ports',
    'app.start-here':
      'the overview has the address and a first call in four forms to copy, none with a key, until it is dismissed',
    'app.snippets': 'each first call of the overview works as it is shown',
    'app.files': 'files are listed, sorted, filtered, viewed, downloaded and deleted',
    'app.edit':
      'a text file is made, edited and renamed; one that another program has changed is not overwritten unasked',
    'app.find': 'lines of files are found, and each opens its file at the line',
    'app.many-files': 'of 10,000 files at most 200 rows are in the document, and the keyboard reaches each of them',
    'app.upload': 'dropped files and directories are uploaded; one that exists is replaced only when asked',
    'app.upload-resumed': 'an upload of 2 GB that is cut resumes at the cut, also after the page was closed',
    'app.commands': 'a command is run, shows its output while it runs, takes input and is killed',
    'app.palette': 'Ctrl-K opens a list of the views, which typing filters and the keyboard chooses from',
    'app.processes': 'processes are a tree with owner, CPU and memory, and one is ended after a question',
    'app.code': 'cells run in a session, show pictures, tables and errors, take input and are interrupted',
    'app.first-link': 'a link that is clicked as soon as it is there opens its view',
    'app.unknown-view': 'an address that no view has shows the overview and says so',
    'app.output-colours': 'output has the colours and the overwritten lines that a terminal shows',
    'app.long-output': 'of long output the newest lines are shown, progress lines once, without escape sequences',
    'app.take-over': 'the display is watched until the person takes it over, and the page shows which it is',
    'app.screens': 'terminal and desktop are shown in the page, and the tabs of the browser are opened and closed',
    'app.missing': 'what is missing is named, with how to get it: browser, desktop, kernels, editors',
    'app.reconnect': 'a restart of the daemon is shown, the view continues, and output loses no line',
    'app.sign-out': 'the app and the terminal say who opened them, and sign out',
    'app.key-changed': 'a key that changed is shown, and the page leads to the form',
    'app.tickets': 'expired, spent and foreign tickets open nothing, and the form says so',
    'app.foreign-page': 'a page of another origin can neither embed the app, nor load its files, nor act through it',
    'app.hostile-text': 'names of files, output, titles of tabs and terminals are shown as text',
    'app.prefix': 'the app works below a path prefix',
    'app.throttled': 'the app works on a slow network',
    'app.looks': 'every view fits 390 to 2560 pixels, in light and dark, without serious findings of axe',
    'app.keyboard': 'every view is reached and used by the keyboard alone',
  }),
];

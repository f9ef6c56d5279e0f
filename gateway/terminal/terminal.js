import { FitAddon } from './addon-fit.mjs';
import { closeSession, listSessions, openSession } from './api.js';
import { useClipboard } from './clipboard.js';
import { Connection } from './connection.js';
import { Terminal } from './xterm.mjs';

const LIST_MS = 3000;
const encoder = new TextEncoder();

const terminal = new Terminal({
  cursorBlink: true,
  fontFamily: 'ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace',
  fontSize: 14,
  scrollback: 5000,
  theme: { background: '#0d1117', foreground: '#e6edf3' },
});
const fit = new FitAddon();
const [list, state] = ['sessions', 'state'].map((id) => document.getElementById(id));
let connection;
let current;

terminal.loadAddon(fit);
terminal.open(document.getElementById('screen'));
useClipboard(terminal);
fit.fit();
terminal.onData((text) => connection?.type(encoder.encode(text)));
terminal.onBinary((text) => connection?.type(Uint8Array.from(text, (character) => character.charCodeAt(0))));
terminal.onResize((size) => connection?.resize(size));
terminal.onTitleChange((title) => {
  document.title = title || 'Terminal';
});
new ResizeObserver(() => fit.fit()).observe(document.getElementById('screen'));

function show(text) {
  state.textContent = text;
}

function size() {
  return { cols: terminal.cols, rows: terminal.rows };
}

/** Shows a session. Its id is in the fragment of the URL, so that the URL can be bookmarked and shared. */
function attach(id) {
  if (id === current) return;
  connection?.close();
  terminal.reset();
  current = id;
  history.replaceState(null, '', `#${encodeURIComponent(id)}`);
  show('connecting…');
  connection = new Connection(id, terminal, (text, ended) => {
    show(text);
    if (ended) void refresh();
  });
  terminal.focus();
  void refresh();
}

async function open() {
  try {
    attach(await openSession(size()));
  } catch (error) {
    show(error.message);
  }
}

async function close(id) {
  await closeSession(id).catch((error) => show(error.message));
  if (id !== current) return refresh();
  connection?.close();
  current = undefined;
  const [next] = Object.keys(await listSessions().catch(() => ({})));
  return next === undefined ? open() : attach(next);
}

function entryOf(id, { status, working_dir: directory, current_command: command }) {
  const entry = document.createElement('span');
  entry.className = status === 'exited' || status === 'lost' ? 'session over' : 'session';
  entry.setAttribute('role', 'tab');
  entry.setAttribute('aria-selected', String(id === current));
  const name = document.createElement('button');
  name.type = 'button';
  name.textContent = `${id.length > 12 ? id.slice(0, 8) : id} ${directory}`;
  name.title = [id, status, command].filter(Boolean).join('\n');
  name.onclick = () => attach(id);
  const closeButton = document.createElement('button');
  closeButton.type = 'button';
  closeButton.textContent = '×';
  closeButton.title = `Close ${id} and end its programs`;
  closeButton.onclick = () => void close(id);
  entry.append(name, closeButton);
  return entry;
}

async function refresh() {
  try {
    const sessions = await listSessions();
    list.replaceChildren(...Object.entries(sessions).map(([id, record]) => entryOf(id, record)));
    return sessions;
  } catch (error) {
    show(error.status === 401 ? 'the key is not accepted any more: open the page with the key again' : error.message);
    return {};
  }
}

document.getElementById('new').onclick = () => void open();
globalThis.onhashchange = () => attach(decodeURIComponent(location.hash.slice(1)));
setInterval(() => document.hidden || void refresh(), LIST_MS);

const wanted = decodeURIComponent(location.hash.slice(1)) || new URLSearchParams(location.search).get('session');
const known = await refresh();
const ids = Object.keys(known).filter((id) => !['exited', 'lost'].includes(known[id].status));
if (wanted) attach(wanted);
else if (ids.length > 0) attach(ids[0]);
else await open();

import { FitAddon } from './addon-fit.mjs';
import { closeSession, listSessions, openSession } from './api.js';
import { useClipboard } from './clipboard.js';
import { Connection, QUEUED_BYTES } from './connection.js';
import { KeyRow } from './keys.js';
import { Notice } from './notice.js';
import { isOver, SessionList } from './sessions.js';
import { showSignedIn } from './signed-in.js';
import { useCharacterWidths } from './terminal-output.js';
import { Terminal } from './xterm.mjs';

const LIST_MS = 3000;
const encoder = new TextEncoder();

const terminal = new Terminal({
  // The widths of characters are a proposed part of the interface.
  allowProposedApi: true,
  cursorBlink: true,
  fontFamily: 'ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace',
  fontSize: 14,
  // With 1 the rows of many fonts cut off what is below the baseline: the underscore.
  lineHeight: 1.2,
  scrollback: 5000,
  theme: { background: '#0d1117', foreground: '#e6edf3' },
});
const fit = new FitAddon();
const element = (id) => document.getElementById(id);
const state = element('state');
const notice = new Notice(element('notice'), document.querySelector('main'));
const list = new SessionList(element('sessions'), { onOpen: attach, onClose: (id) => void close(id) });
const keys = new KeyRow(element('keys'), terminal, (text) => type(encoder.encode(text)));
/** What was typed before the first session was there. */
const early = [];
let connection;
let current;
let isKeyRefused = false;

void showSignedIn(element('signed-in'), state);
terminal.loadAddon(fit);
useCharacterWidths(terminal);
terminal.open(element('screen'));
terminal.focus();
useClipboard(terminal);
fit.fit();
terminal.onData((text) => type(encoder.encode(keys.modified(text))));
terminal.onBinary((text) => type(Uint8Array.from(text, (character) => character.charCodeAt(0))));
terminal.onResize((size) => connection?.resize(size));
terminal.onTitleChange((title) => {
  document.title = title || 'Terminal';
});
new ResizeObserver(() => fit.fit()).observe(element('screen'));

function show(text) {
  if (state.textContent !== text) state.textContent = text;
}

function type(bytes) {
  if (connection) connection.type(bytes);
  else if (early.length + bytes.length <= QUEUED_BYTES) early.push(...bytes);
}

function size() {
  return { cols: terminal.cols, rows: terminal.rows };
}

/** Shows a session. Its id is in the fragment of the URL, so that the URL can be bookmarked and shared. */
function attach(id) {
  if (id === current) return;
  connection?.close();
  terminal.reset();
  notice.hide();
  current = id;
  history.replaceState(null, '', `${location.pathname}#${encodeURIComponent(id)}`);
  show('connecting…');
  connection = new Connection(id, terminal, { onState: show, onEnd: (end) => showEnd(id, end) });
  if (early.length > 0) connection.type(Uint8Array.from(early.splice(0)));
  terminal.focus();
  void refresh();
}

function showEnd(id, { text, isGone, isUnknown }) {
  show(text);
  const what = isUnknown ? `The terminal ${id} does not exist any more.` : `This terminal has ${text}.`;
  notice.show(what, { label: 'Open a new terminal', onClick: () => void open(), isGone });
  void refresh();
}

/** Shows a session that runs, or a new one. */
async function attachToRunning() {
  const known = await refresh();
  const running = Object.keys(known).find((id) => !isOver(known[id]));
  if (running === undefined) await open();
  else attach(running);
}

async function open() {
  try {
    attach(await openSession(size()));
  } catch (error) {
    showError(error);
  }
}

async function close(id) {
  const { status, current_command: command } = (await refresh())[id] ?? {};
  const program = command ? `“${command}”` : 'a program';
  if (status === 'active' && !confirm(`In this terminal ${program} runs, which ends with it. Close it?`)) return;
  await closeSession(id).catch(showError);
  if (id !== current) return refresh();
  connection?.close();
  current = undefined;
  const [next] = Object.keys(await listSessions().catch(() => ({})));
  return next === undefined ? open() : attach(next);
}

async function refresh() {
  try {
    const sessions = await listSessions();
    list.show(sessions, current);
    if (isKeyRefused) notice.hide();
    isKeyRefused = false;
    return sessions;
  } catch (error) {
    showError(error);
    return {};
  }
}

function showError(error) {
  if (error.status !== 401) {
    show(error.message);
    return;
  }
  show('the key is not accepted any more');
  if (isKeyRefused) return;
  isKeyRefused = true;
  const onClick = () => location.assign(current === undefined ? '?' : `?session=${encodeURIComponent(current)}`);
  notice.show('The key is not accepted any more.', { label: 'Enter the key', onClick, isGone: true });
}

element('new').onclick = () => void open();
globalThis.onhashchange = () => attach(decodeURIComponent(location.hash.slice(1)));
setInterval(() => document.hidden || void refresh(), LIST_MS);

const wanted = decodeURIComponent(location.hash.slice(1)) || new URLSearchParams(location.search).get('session');
// Without waiting for the list: what a person types from now on is kept until the session answers.
if (wanted) attach(wanted);
else await attachToRunning();

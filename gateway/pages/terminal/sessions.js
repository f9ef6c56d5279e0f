/** Ids that the service chose: they say nothing to a person. */
const CHOSEN_BY_SERVICE = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const OVER = ['exited', 'lost'];

export const isOver = ({ status }) => OVER.includes(status);

/** The last part of a path; the root is itself. */
const lastPart = (path) =>
  path
    .replace(/(.)\/$/, '$1')
    .split('/')
    .at(-1) || path;

/**
 * What the tabs say, by id: the chosen name, else the directory with the program that runs in it. Equal ones are
 * numbered in the order of their creation.
 */
export function labelsOf(sessions) {
  const labels = new Map();
  const seen = new Map();
  const oldestFirst = Object.entries(sessions).sort(([, a], [, b]) => (a.created_at < b.created_at ? -1 : 1));
  for (const [id, { working_dir: directory, current_command: command }] of oldestFirst) {
    const [program] = (command ?? '').trim().split(' ');
    const label = CHOSEN_BY_SERVICE.test(id)
      ? [lastPart(directory), program && lastPart(program)].filter(Boolean).join(': ')
      : id;
    const count = (seen.get(label) ?? 0) + 1;
    seen.set(label, count);
    labels.set(id, count === 1 ? label : `${label} (${count})`);
  }
  return labels;
}

/** The list of sessions. Entries stay in place, so that the focus does. */
export class SessionList {
  #list;
  #entries = new Map();
  #shown;
  #onOpen;
  #onClose;

  constructor(list, { onOpen, onClose }) {
    this.#list = list;
    this.#onOpen = onOpen;
    this.#onClose = onClose;
  }

  show(sessions, current) {
    const labels = labelsOf(sessions);
    for (const [id, entry] of this.#entries) if (!(id in sessions)) this.#remove(id, entry);
    for (const [id, record] of Object.entries(sessions)) {
      this.#update(id, { record, label: labels.get(id), isCurrent: id === current });
    }
    if (this.#shown === current) return;
    this.#shown = current;
    this.#entries.get(current)?.item.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  #update(id, { record, label, isCurrent }) {
    const { item, name, close } = this.#entries.get(id) ?? this.#add(id);
    item.className = ['session', isOver(record) && 'over', isCurrent && 'current'].filter(Boolean).join(' ');
    setText(name, label);
    name.title = [id, record.working_dir, record.current_command ?? record.status].join('\n');
    if (isCurrent) name.setAttribute('aria-current', 'true');
    else name.removeAttribute('aria-current');
    close.title = `Close ${label} and end its programs`;
    close.setAttribute('aria-label', close.title);
  }

  #add(id) {
    const item = document.createElement('li');
    const name = button('name', '');
    const close = button('close', '×');
    name.onclick = () => this.#onOpen(id);
    close.onclick = () => this.#onClose(id);
    item.append(name, close);
    this.#list.append(item);
    this.#entries.set(id, { item, name, close });
    return this.#entries.get(id);
  }

  #remove(id, { item }) {
    item.remove();
    this.#entries.delete(id);
  }
}

function button(className, text) {
  const made = document.createElement('button');
  made.type = 'button';
  made.className = className;
  made.textContent = text;
  return made;
}

/** Without a change a screen reader stays silent and a selection is kept. */
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Beside noVNC's page: why there is no connection, which noVNC cannot know, and what to do. */

const RETRY_MS = 3000;
const root = document.documentElement;
let shown;

/** noVNC has its state in the classes of the document; with none of these it has given up. */
const STATES = ['noVNC_loading', 'noVNC_connecting', 'noVNC_connected', 'noVNC_disconnecting', 'noVNC_reconnecting'];
const isConnected = () => root.classList.contains('noVNC_connected');
const hasGivenUp = () => !STATES.some((state) => root.classList.contains(state));
/** The page was opened to connect by itself; else its own panel is the first that it shows. */
const connectsItself = new URLSearchParams(location.search).get('autoconnect') === 'true';
let hasConnected = false;
let isAsking = false;

/** The status of the page for this browser: 401 where the key is not accepted; undefined where nothing answers. */
async function statusOfPage() {
  const headers = { accept: 'application/json' };
  const answer = await fetch(location.pathname, { method: 'HEAD', headers, cache: 'no-store' }).catch(() => undefined);
  return answer?.status;
}

const REASONS = {
  key: ['The key of this sandbox is not accepted any more.', 'Enter the key'],
  away: ['The sandbox does not answer.', 'Try again'],
  desktop: ['The desktop is not reachable.', 'Try again'],
};

function show(reason) {
  if (shown?.reason === reason) return;
  shown?.element.remove();
  shown = undefined;
  if (reason === undefined) return;
  const [text, label] = REASONS[reason];
  const element = document.createElement('section');
  element.id = 'svc-notice';
  element.setAttribute('role', 'alert');
  const paragraph = document.createElement('p');
  paragraph.textContent = text;
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = label;
  button.onclick = () => location.reload();
  element.append(paragraph, button);
  document.body.append(element);
  shown = { reason, element };
}

async function look() {
  if (isConnected()) {
    hasConnected = true;
    show(undefined);
    return;
  }
  const isLost = root.classList.contains('noVNC_reconnecting') || (hasGivenUp() && (hasConnected || connectsItself));
  if (!isLost || isAsking) return;
  isAsking = true;
  const status = await statusOfPage();
  isAsking = false;
  if (isConnected()) return;
  if (status === 401) show('key');
  else if (status === undefined || status >= 500) show('away');
  else if (shown?.reason === 'away') location.reload();
  else if (hasGivenUp()) show('desktop');
  else show(undefined);
}

new MutationObserver(() => void look()).observe(root, { attributes: true, attributeFilter: ['class'] });
setInterval(() => document.hidden || void look(), RETRY_MS);

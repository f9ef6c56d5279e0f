// A site for the clients of the browser; it runs in the sandbox, without packages. Argument: its port.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import process from 'node:process';
import { text } from 'node:stream/consumers';

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const page = (body) => `<!doctype html><title>site</title><body>${body}`;
const button = (name, what) => `<button onclick="fetch('/done?${what}', { method: 'POST' })">${name}</button>`;
const done = [];

const PAGES = {
  '/login': () =>
    page(
      '<form method=post><label>User <input name=user></label><label>Password <input name=password type=password></label><button>Sign in</button></form>',
    ),
  '/order': () =>
    page(
      '<form method=post><label>What <input name=what></label><label>Size <select name=size><option>small<option>large</select></label><button>Order</button></form>',
    ),
  '/upload': () =>
    page(
      '<form method=post enctype="multipart/form-data"><label>File <input type=file name=file></label><button>Send</button></form>',
    ),
  '/download': () => page('<a href="/report.txt">Report</a>'),
  '/frame': () => page('<h1>outside</h1><iframe src="/inner"></iframe>'),
  '/inner': () => page(button('In the frame', 'frame')),
  '/shadow': () =>
    page(
      `<x-box></x-box><script>customElements.define('x-box', class extends HTMLElement { connectedCallback() { this.attachShadow({ mode: 'open' }).innerHTML = ${JSON.stringify(button('In the shadow', 'shadow'))}; } })</script>`,
    ),
  '/dialog': () =>
    page(`<button onclick="if (confirm('sure?')) fetch('/done?dialog', { method: 'POST' })">Ask</button>`),
  '/new': () => page('the new place'),
  '/socket': () =>
    page(
      '<p id=said>waiting</p><script>new WebSocket("ws://" + location.host + "/ws").onmessage = (e) => { said.textContent = e.data; }</script>',
    ),
  '/scroll': () =>
    page(
      `<style>li { height: 200px }</style><ul></ul><p id=end>more</p><script>
        let count = 0;
        const observer = new IntersectionObserver(([seen]) => {
          if (!seen.isIntersecting || count >= 60) return;
          for (let i = 0; i < 20; i += 1) document.querySelector('ul').append(Object.assign(document.createElement('li'), { textContent: 'item ' + (count += 1) }));
          if (count >= 60) fetch('/done?scrolled', { method: 'POST' });
          // The end may be in view again before the next frame, which is no change to report.
          observer.unobserve(end);
          observer.observe(end);
        });
        observer.observe(end);
      </script>`,
    ),
};

const ANSWERS = {
  '/login': (body) => {
    const fields = new URLSearchParams(body);
    if (fields.get('password') !== 'secret') return { status: 403, body: page('wrong password') };
    return { status: 303, headers: { location: '/account', 'set-cookie': `user=${fields.get('user')}; HttpOnly` } };
  },
  '/order': (body) => {
    const fields = new URLSearchParams(body);
    return { body: page(`ordered ${fields.get('size')} ${fields.get('what')}`) };
  },
  '/upload': (body) => {
    const [, name] = /filename="([^"]*)"/.exec(body) ?? [];
    const [, content = ''] = /\r\n\r\n(.*?)\r\n--/s.exec(body) ?? [];
    return { body: page(`got ${name} with ${content.length} bytes: ${content}`) };
  },
};

async function answer(req, url) {
  if (url.pathname === '/done') return { body: String(done.push(url.search.slice(1))) };
  if (url.pathname === '/reset') return { body: String(done.splice(0).length) };
  if (url.pathname === '/log') return { body: done.join(' ') };
  if (req.method === 'POST') return ANSWERS[url.pathname]?.(await text(req)) ?? { status: 404, body: 'none' };
  if (url.pathname === '/account') {
    const [, user] = /user=(\w+)/.exec(req.headers.cookie ?? '') ?? [];
    return user ? { body: page(`Welcome ${user}`) } : { status: 401, body: page('who are you?') };
  }
  if (url.pathname === '/report.txt')
    return { headers: { 'content-disposition': 'attachment; filename=report.txt' }, body: 'the report' };
  if (url.pathname === '/old') return { status: 302, headers: { location: '/new' } };
  if (url.pathname === '/slow') {
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    return { body: page('at last') };
  }
  const shown = PAGES[url.pathname];
  return shown ? { body: shown() } : { status: 404, body: page('no such page') };
}

createServer(async (req, res) => {
  const { status = 200, headers = {}, body = '' } = await answer(req, new URL(req.url ?? '/', 'http://site'));
  res.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body);
})
  .on('upgrade', (req, socket) => {
    const accept = createHash('sha1')
      .update(req.headers['sec-websocket-key'] + GUID)
      .digest('base64');
    const head = [
      '101 Switching Protocols',
      'Upgrade: websocket',
      'Connection: Upgrade',
      `Sec-WebSocket-Accept: ${accept}`,
    ];
    socket.on('error', () => {});
    const said = Buffer.from('hello by WebSocket');
    socket.write(
      Buffer.concat([Buffer.from(`HTTP/1.1 ${head.join('\r\n')}\r\n\r\n`), Buffer.from([0x81, said.length]), said]),
    );
  })
  .listen(Number(process.argv[2]), '127.0.0.1', () => process.stdout.write('the site is open\n'));

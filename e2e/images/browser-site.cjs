// A site for the tests of the browser's routes: browser-site.cjs PORT.
const http = require('node:http');

const PAGES = {
  '/': '<title>Home</title><h1>Home</h1><a href="/form">Form</a>',
  '/form': `<title>Form</title><style>body { margin: 0 } #far { margin-top: 2000px }</style>
    <label>Name <input id=who></label><label><input type=checkbox id=agree> Agree</label>
    <select id=size aria-label=Size><option>small<option>large</select>
    <input type=file id=file aria-label=File onchange="this.files[0].text().then((text) => (document.title = text))">
    <button id=go onclick="window.hits = (window.hits ?? 0) + 1">Go</button><button disabled>Never</button>
    <iframe src="/inner" height=60></iframe><div id=far>far</div>`,
  '/inner': '<button onclick="parent.inner = true">Inner</button>',
  '/report': 'the report',
  '/square': `<title>Square</title><style>body { margin: 0; background: white; height: 3000px }
    #square { position: absolute; left: 120px; top: 80px; width: 60px; height: 40px; background: rgb(255, 0, 0) }</style>
    <div id=square></div><textarea style="position: absolute; left: 300px; top: 80px"></textarea><script>
    window.seen = []; for (const type of ['click', 'contextmenu', 'dblclick', 'mousedown', 'mouseup', 'keydown', 'wheel'])
      addEventListener(type, (event) => { seen.push(type); if (type === 'contextmenu') event.preventDefault(); });</script>`,
};

const server = http.createServer((request, response) => {
  const [path, query = ''] = request.url.split('?');
  // The page that a test gives.
  const page = path === '/given' ? decodeURIComponent(query) : PAGES[path];
  if (path === '/report') response.setHeader('content-disposition', 'attachment; filename=report.txt');
  if (path === '/cookie') response.setHeader('set-cookie', 'served=1; Path=/');
  response.writeHead(page === undefined && path !== '/cookie' ? 404 : 200, { 'content-type': 'text/html' });
  response.end(page ?? '<title>Other</title>');
});
server.listen(Number(process.argv[2]), '127.0.0.1', () => console.log('the site is open'));

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../../scripts/root.ts';
import { startServer } from './observe.ts';
import { keepPicture, personAt } from './person.ts';
import { NO_BROWSER, NO_KERNELS, type Sandbox, sharedSandbox } from './sandbox.ts';

const KEY = 'secret-key';
const VIEW = { width: 800, height: 500 };
/** The packages of this repository in the container, which include Vite. */
const PACKAGES = '/srv/packages/node_modules';
const sandbox = sharedSandbox({
  env: { SVC_API_KEY: KEY, ...NO_BROWSER, ...NO_KERNELS },
  with: (container) => container.withBindMounts([{ source: join(ROOT, 'node_modules'), target: PACKAGES, mode: 'ro' }]),
});

const MAIN = `import { text } from "./text.js";
const show = (t) => { document.querySelector("h1").textContent = t; };
show(text);
window.loaded = (window.loaded ?? 0) + 1;
import.meta.hot.accept("./text.js", (next) => show(next.text));`;

function say(box: Sandbox, directory: string, text: string): Promise<unknown> {
  return box.run(`echo 'export const text = "${text}";' > ~/${directory}/text.js`);
}

/** Creates and starts a Vite application by commands. */
async function startVite(directory: string, port: number, base: string): Promise<void> {
  const box = sandbox();
  await box.run(
    `mkdir ~/${directory} && cd ~/${directory} && ln -s ${PACKAGES} node_modules && cat > main.js && echo '<h1 style="color:teal"></h1><script type="module" src="./main.js"></script>' > index.html`,
    { stdin: MAIN },
  );
  await say(box, directory, 'first');
  const vite = `node_modules/.bin/vite --port ${port} --strictPort --base ${base} --configLoader native`;
  await startServer(box, `cd ~/${directory} && exec ${vite} 2>&1`, 'ready in');
}

test.each([
  ['on a host of its own', 'host', 5173, '/', (url: string) => [url.replace('127.0.0.1', '5173.localhost'), '/']],
  ['below its path', 'path', 5174, '/absproxy/5174/', (url: string) => [url, '/absproxy/5174/']],
] as const)(
  '[images.gateway-vite] a Vite app %s loads and hot-reloads',
  async (_what, directory, port, base, where) => {
    await startVite(directory, port, base);
    const [url = '', path = ''] = where(sandbox().url);
    await using person = await personAt(url, `${path}?api_key=${KEY}`, VIEW);
    const { page, foreign, said } = person;
    expect(page.url()).toBe(url + path);
    const title = page.locator('h1');
    await expect.poll(() => title.textContent()).toBe('first');
    await expect.poll(() => said).toContain('[vite] connected.');
    await say(sandbox(), directory, 'second');
    await expect.poll(() => title.textContent()).toBe('second');
    expect(await page.evaluate('window.loaded')).toBe(1);
    await keepPicture(`vite-${directory}`, await page.screenshot());
    expect(foreign).toEqual([]);
  },
);

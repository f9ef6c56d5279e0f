import { expect, test } from 'vitest';
import { ask, openSite, SITE } from './browser-site.ts';
import { NO_KERNELS, startSandbox } from './sandbox.ts';

test('[images.agent-browser] [config.agent-browser] SVC_AGENT_BROWSER_BIN=agent-browser: the CLI of the image serves references', async () => {
  await using delegating = await startSandbox({
    env: { BROWSER_START_MODE: 'auto', SVC_AGENT_BROWSER_BIN: 'agent-browser', ...NO_KERNELS },
  });
  await openSite(delegating);
  const post = async (path: string, body: object) => (await ask(delegating, 'POST', `/v2/browser/${path}`, body)).body;
  await post('navigate', { url: `${SITE}/form` });
  const { snapshot, refs } = (await post('snapshot', {})).data;
  expect(snapshot).toContain('StaticText "Name "');
  expect(refs).toBeGreaterThan(5);
  const refOf = (name: string): string => new RegExp(`"${name}".*\\[ref=(e\\d+)\\]`).exec(snapshot)?.[1] ?? '';
  await delegating.run('umask 077; printf private > ~/private.txt');
  for (const [path, name, more] of [
    ['click', 'Go', {}],
    ['click', 'Inner', {}],
    ['fill', 'Name', { value: 'né' }],
    ['fill', 'Agree', { value: true }],
    ['fill', 'Size', { value: 'large' }],
    ['upload', 'File', { paths: ['/home/sandbox/private.txt'] }],
  ] as const) {
    expect([name, await post(path, { ref: refOf(name), ...more })]).toEqual([
      name,
      expect.objectContaining({ success: true }),
    ]);
  }
  const expression = '[who.value, agree.checked, size.value, file.files[0].name, hits, inner].join()';
  const { result } = (await post('evaluate', { expression })).data;
  expect(result).toBe('né,true,large,private.txt,1,true');
  expect((await post('click', { ref: refOf('Never') })).message).toContain('disabled');
  await post('navigate', { url: `${SITE}/form` });
  expect((await post('click', { ref: refOf('Go') })).message).toContain('is not in the page');
  expect(await delegating.shell('ps -o user= -C agent-browser | sort -u')).toBe('sandbox');
});

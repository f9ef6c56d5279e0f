import { expect, test } from 'vitest';
import { has } from '../../../../../scripts/testing/machine.ts';
import { BrowserBench } from '../chromium.fixture.ts';

test.runIf(has('chromium'))(
  '[browser.hung-tab] SVC_BROWSER_HUNG_TAB_SECONDS crashes the tab that answers nothing, and no other',
  { timeout: 60_000 },
  async () => {
    await using bench = await BrowserBench.start([], { hungTabSeconds: 1 });
    await using fine = await bench.page('<title>fine</title>', '/fine');
    await using asking = await bench.page('<title>asking</title>', '/asking');
    await using hung = await bench.page('<title>hung</title>', '/hung');
    await asking.value('setTimeout(() => alert("stop"))');
    await hung.value('setTimeout(() => { for (;;); })');
    const states = async (): Promise<unknown> => {
      const tabs: { id: string; crashed: boolean; dialog: unknown }[] = (await bench.get('tabs')).json().data;
      return [fine, asking, hung].map(({ id }) => {
        const { crashed, dialog } = tabs.find((tab) => tab.id === id) ?? {};
        return [crashed, dialog !== null];
      });
    };
    await expect.poll(states, { timeout: 30_000 }).toEqual([
      [false, false],
      [false, true],
      [true, false],
    ]);
    expect(await fine.value('document.title')).toBe('fine');
    const revived = await hung.post('navigate', { url: bench.site.url('/fine') });
    expect(revived.json()).toMatchObject({ success: true, data: { title: 'fine' } });
  },
);

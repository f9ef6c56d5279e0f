import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { has } from '../../../../../scripts/testing/machine.ts';
import { BrowserBench } from '../chromium.fixture.ts';

/** Snapshots of a page that changes, each of up to 20 s on a busy machine. */
const ROUNDS = 8;

describe.runIf(has('chromium'))('with a browser', () => {
  let bench: BrowserBench;
  beforeAll(async () => {
    bench = await BrowserBench.start(['--site-per-process']);
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  test('[browser.snapshot] a snapshot is a tree of roles, names, states and values with refs, and the address', async () => {
    await using tab = await bench.page(`<title>Shop</title>
      <h2>Sign <b>in</b></h2>
      <form aria-label="Login"><label>Name <input value=Ann required></label><input type=password value=xy aria-label=Secret>
      <select aria-label=Colour><option>Red<option selected>Blue</select>
      <label><input type=checkbox checked> Remember</label><button disabled>Send</button></form>
      <ul><li>one <a href="/more?x=1">More</a></ul>
      <p hidden>not shown</p><p style="display:none">nor this</p><p aria-hidden=true>nor that</p>
      <details><summary>Fold</summary><button>within</button></details>
      <div onclick="1">plain <b>but</b> clickable</div>`);
    const answer = (await tab.post('snapshot')).json();
    expect(answer).toMatchObject({
      success: true,
      hint: null,
      data: { title: 'Shop', url: bench.site.url('/'), tab_id: tab.id, truncated: false },
    });
    const lines = String(answer.data.snapshot).replaceAll(/ \[ref=e\d+\]/g, '');
    expect(lines).toBe(`- heading "Sign in" [level=2]
- form "Login"
  - text: Name
  - textbox "Name" [required]: "Ann"
  - textbox "Secret": "••••"
  - combobox "Colour": "Blue"
    - option "Red"
    - option "Blue" [selected]
  - checkbox "Remember" [checked]
  - text: Remember
  - button "Send" [disabled]
- list
  - listitem
    - text: one
    - link "More" -> /more?x=1
- button "Fold" [expanded=false]
- clickable "plain but clickable"`);
    const interactive = await tab.text({ interactive_only: true });
    expect(interactive.split('\n').map((line) => line.split(' ')[1])).toEqual(
      'textbox textbox combobox checkbox button link button clickable'.split(' '),
    );
    const part = await tab.text({ selector: 'ul' });
    expect(part).toMatch(/^- list \[ref=e\d+\]\n {2}- listitem/);
    expect((await tab.post('snapshot', { selector: 'u[' })).json()).toMatchObject({
      success: false,
      message: expect.stringContaining("'u[' is not a valid selector"),
    });
  });

  test('[browser.snapshot] what is edited in place is interactive, whatever its role', async () => {
    await using tab = await bench.page('<p contenteditable>Note</p><h2 contenteditable>Title</h2><p>plain</p>');
    const text = await tab.text({ interactive_only: true });
    expect(text.replaceAll(/e\d+/g, 'e')).toBe('- paragraph [ref=e]: "Note"\n- heading "Title" [level=2] [ref=e]');
  });

  test('[browser.snapshot-frames] frames of this and another process, and shadow roots, are read and clicked', async () => {
    bench.site.pages['/inner'] = `<button onclick="this.textContent = 'got ' + event.isTrusted">inner</button>`;
    bench.site.pages['/deep'] = `<p>between</p><iframe src="${bench.site.url('/inner')}"></iframe>`;
    await using tab = await bench.page(
      `<div style="height:900px"></div><iframe style="border:7px solid; padding:9px" src="${bench.site.url('/deep', 'localhost')}"></iframe>
      <div id=host></div><script>host.attachShadow({ mode: 'open' }).innerHTML =
        '<button onclick="this.textContent = event.isTrusted">shadow</button><slot></slot>'</script>`,
    );
    const inner = await tab.ref('"inner"');
    expect(await tab.text()).toMatch(/- iframe .*\n {2}- paragraph .*: between\n {2}- iframe .*\n {4}- button "inner"/);
    for (const ref of [inner, await tab.ref('"shadow"')]) {
      expect((await tab.post('click', { ref })).json()).toMatchObject({ success: true });
    }
    await expect.poll(() => tab.text()).toContain('"got true"');
    expect(await tab.text()).toContain('button "true"');
    expect((await tab.post('click', { selector: 'button' })).json().success).toBe(true);
  });

  test('[browser.ref-holds] a node keeps its ref; a new one gets another', async () => {
    await using tab = await bench.page('<button id=a>A</button>');
    const ref = await tab.ref('"A"');
    await tab.value(
      `document.body.prepend(Object.assign(document.createElement('button'), { textContent: 'B' })); a.textContent = 'C'`,
    );
    expect(await tab.ref('"C"')).toBe(ref);
    expect(await tab.ref('"B"')).not.toBe(ref);
  });

  test('[browser.ref-gone] a replaced node, a page that was left and another tab are 404, nonsense is 400', async () => {
    await using tab = await bench.page('<button onclick="window.hit = 1">A</button>');
    const first = await tab.ref('"A"');
    await tab.value('document.body.innerHTML = document.body.innerHTML');
    expect((await tab.post('click', { ref: first })).statusCode).toBe(404);
    const second = await tab.ref('"A"');
    await tab.post('navigate', { history: 'reload' });
    const answer = await tab.post('click', { ref: second });
    expect([answer.statusCode, answer.json().hint]).toEqual([404, expect.stringContaining('snapshot')]);
    const third = await tab.ref('"A"');
    expect([first, second]).not.toContain(third);
    await using other = await bench.page('<button>A</button>');
    await other.text();
    expect((await other.post('click', { ref: third })).statusCode).toBe(404);
    expect(await tab.value('window.hit')).toBe(null);
    for (const ref of ['12', 'e', 'e0', 'x7', 'e1e', 'e99999999999']) {
      expect([ref, (await tab.post('click', { ref })).statusCode]).toEqual([ref, 400]);
    }
  });

  test('[browser.bounded] 100,000 nodes give a text of bounded length, with a hint', async () => {
    await using tab = await bench.page('<div id=rows></div>');
    await tab.value(
      `rows.innerHTML = Array.from({ length: 25000 }, (_, i) => '<div><a href=/' + i + '>row ' + i + '</a><span>text</span></div>').join('')`,
    );
    const answer = (await tab.post('snapshot')).json();
    expect(answer).toMatchObject({
      success: true,
      hint: expect.stringContaining('selector'),
      data: { truncated: true },
    });
    expect(answer.data.snapshot.length).toBeLessThanOrEqual(50_000);
    expect(answer.data.snapshot.length).toBeGreaterThan(30_000);
    expect((await tab.text({ max_length: 1000 })).length).toBeLessThanOrEqual(1000);
  });

  test(
    '[browser.replaced] a page that replaces itself all the time is answered each time',
    async () => {
      bench.site.pages['/again'] = `<h1>again</h1><script>setTimeout(() => location.reload(), 15)</script>`;
      await using tab = await bench.open('about:blank');
      await tab.post('navigate', { url: bench.site.url('/again'), wait_until: 'commit' });
      const statuses = new Set<number>();
      for (let round = 0; round < ROUNDS; round += 1) {
        const answer = await tab.post('snapshot');
        statuses.add(answer.statusCode);
        if (answer.statusCode === 503) expect(answer.json().message).toContain('replaced itself');
      }
      expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
    },
    ROUNDS * 30_000,
  );

  test('[browser.own-names] roles and names are those that the browser computes', async () => {
    await using tab =
      await bench.page(`<h1>A <i>b</i></h1><a href=/x title=t>link <img src=x alt=pic></a><button aria-label=label>x</button>
      <span id=r1>ref</span><input aria-labelledby="r1 r2"><span id=r2 hidden>two</span><label for=i>For <b>it</b></label><input id=i>
      <input placeholder=hold><textarea title=area></textarea><input type=submit><input type=reset><input type=button value=val>
      <select aria-label=s><option>o</select><input type=range aria-label=r><input type=number aria-label=n><input type=search aria-label=q>
      <div role=button>rb</div><div role=tab>tb</div><div role=checkbox aria-checked=true>cb</div><img src=x alt=image><hr>
      <fieldset><legend>leg</legend><input type=radio aria-label=ra></fieldset><nav aria-label=nv><ul><li>x</ul></nav>
      <table><caption>cap</caption><tr><th>h<td>d</table><main>m</main><article>a</article><aside>as</aside>`);
    const call = { method: 'Accessibility.getFullAXTree', params: {} };
    const { nodes } = (await tab.post('cdp', call)).json().data as {
      nodes: { ignored: boolean; role: { value: string }; name?: { value: string } }[];
    };
    const known = 'heading link button textbox searchbox spinbutton slider tab checkbox radio'.split(' ');
    const theirs = nodes
      .filter(({ ignored, role }) => !ignored && known.includes(role.value))
      .map(({ role, name }) => `${role.value} ${JSON.stringify(name?.value ?? '')}`);
    const ours = (await tab.text()).split('\n').flatMap((line) => {
      const [, role = '', name = '""'] = /- (\w+)(?: ("(?:[^"\\]|\\.)*"))?/.exec(line) ?? [];
      return known.includes(role) ? [`${role} ${name}`] : [];
    });
    expect(theirs.length).toBeGreaterThan(15);
    expect(ours.sort()).toEqual(theirs.sort());
  });

  test('[browser.snapshot-lists] long lists are cut with a count, selector writes them in full, depth cuts levels', async () => {
    const items = Array.from({ length: 50 }, (_, n) => `<li>entry ${n}`).join('');
    await using tab = await bench.page(
      `<title>lists</title><ul>${items}</ul><nav><a href="/x">deep</a></nav>`,
      '/lists',
    );
    const { data, hint } = (await tab.post('snapshot')).json();
    expect(data.snapshot).toMatch(
      /listitem \[ref=e\d+\]: entry 29\n {2}- text: … 20 more of role listitem\n- navigation/,
    );
    expect([data.truncated, hint]).toEqual([true, expect.stringContaining('selector')]);
    expect(await tab.text({ selector: 'ul' })).toContain('entry 49');
    const shallow = await tab.text({ depth: 0 });
    expect(shallow.split('\n')).toEqual([expect.stringMatching(/^- list/), expect.stringMatching(/^- navigation/)]);
  });

  test('[browser.snapshot-lines] a paragraph is one line, in which what can be acted on keeps its reference', async () => {
    await using tab = await bench.page(`<title>lines</title><p>Some <b>bold</b> words, a <a href="/l">link</a>, and
      <code>code</code> in <em>a row</em>.</p><p>only text</p><p>with <input aria-label=field> a field</p><p></p>
      <p><a href="/n">nested <img alt=pic></a></p><blockquote>said <button onclick="document.title = 'hit'">b</button></blockquote>`);
    const text = await tab.text();
    expect(
      text.replaceAll(/e\d+/g, 'e'),
    ).toBe(`- paragraph [ref=e]: Some bold words, a {link "link" [ref=e] -> /l}, and code in a row.
- paragraph [ref=e]: only text
- paragraph [ref=e]
  - text: with
  - textbox "field" [ref=e]
  - text: a field
- paragraph [ref=e]
- paragraph [ref=e]
  - link "nested pic" [ref=e] -> /n
    - img "pic" [ref=e]
- blockquote [ref=e]: said {button "b" [ref=e]}`);
    const ref = /button "b" \[ref=(e\d+)\]/.exec(text)?.[1];
    expect((await tab.post('click', { ref })).json()).toMatchObject({ success: true });
    expect(await tab.value('document.title')).toBe('hit');
  });

  test('[browser.snapshot-first] of a page that is too long what can be acted on is kept before text', async () => {
    const sections = Array.from(
      { length: 40 },
      (_, n) => `<section><h2>part ${n}</h2><p>${'word '.repeat(60)}</p><button>do ${n}</button></section>`,
    ).join('');
    await using tab = await bench.page(sections, '/long');
    const answer = (await tab.post('snapshot', { max_length: 4000 })).json();
    const lines: string[] = answer.data.snapshot.split('\n');
    expect([answer.data.truncated, answer.data.snapshot.length <= 4000]).toEqual([true, true]);
    const note = lines.findIndex((line) => line.startsWith('- text: … text is left out'));
    // Its beginning is as it always is, and each button is there once, in the order of the page.
    expect(lines.slice(0, 3).join('\n').replaceAll(/e\d+/g, 'e')).toMatch(
      /^- heading "part 0" \[level=2\] \[ref=e\]\n- paragraph \[ref=e\]: word .*\n- button "do 0" \[ref=e\]$/,
    );
    expect(note).toBeGreaterThan(3);
    expect(lines.flatMap((line) => /^ *- button "do (\d+)"/.exec(line)?.[1] ?? [])).toEqual(
      Array.from({ length: 40 }, (_, n) => String(n)),
    );
    expect(lines.slice(note + 1).filter((line) => !line.startsWith('- button'))).toEqual([]);
    const ref = /"do 39" \[ref=(e\d+)\]/.exec(answer.data.snapshot)?.[1];
    expect((await tab.post('click', { ref })).json()).toMatchObject({ success: true });
    const interactive = await tab.text({ interactive_only: true, max_length: 1000 });
    expect(interactive).not.toContain('left out');
  });
});

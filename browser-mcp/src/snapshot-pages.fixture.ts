/** Paragraphs as of an article. */
const paragraphs = (n: number): string =>
  Array.from(
    { length: n },
    (_, i) =>
      `<p>Paragraph ${i} with <b>bold</b> words, a <a href="/l/${i}">link ${i}</a> and <code>code</code> in a row of text.</p>`,
  ).join('');
/** Ten pages of different kinds, whose snapshots are held against those of @playwright/mcp. */
export const SNAPSHOT_PAGES: Readonly<Record<string, string>> = {
  '/article': `<title>Article</title><header><nav><ul>${'<li><a href="/a">Section</a>'.repeat(8)}</ul></nav></header><main><article><h1>Title</h1>${paragraphs(40)}</article></main><footer><p>foot</p></footer>`,
  '/shop': `<title>Shop</title><h1>Shop</h1><table>${Array.from({ length: 60 }, (_, n) => `<tr><td><a href="/item/${n}">Item ${n}</a><td><button>Buy ${n}</button><td><input aria-label="Count ${n}">`).join('')}</table>`,
  '/form': `<title>Form</title><form><label>Name <input name=a></label><label>Mail <input type=email></label>${Array.from({ length: 12 }, (_, i) => `<label><input type=checkbox> Option ${i}</label>`).join('')}<select>${Array.from({ length: 50 }, (_, i) => `<option>Country ${i}`).join('')}</select><textarea></textarea><button>Send</button></form>`,
  '/list': `<title>List</title><ul>${Array.from({ length: 200 }, (_, i) => `<li>Entry number ${i}</li>`).join('')}</ul>`,
  '/search': `<title>Search</title><input type=search aria-label=Search><button>Go</button>${Array.from({ length: 20 }, (_, i) => `<div><h3><a href="https://example.com/result/${i}?ref=search&page=1">Result ${i} of the search</a></h3><cite>example.com › result</cite><div><span>A snippet of text with <em>words</em> that were found.</span></div></div>`).join('')}`,
  '/mail': `<title>Mail</title><nav><a href="/in">Inbox</a><a href="/out">Sent</a></nav><table role=grid>${Array.from({ length: 50 }, (_, i) => `<tr><td><input type=checkbox aria-label="Select"><td>Sender ${i}<td><span>Subject ${i}</span> - <span>the first words of the mail</span><td>10:${i}`).join('')}</table>`,
  '/docs': `<title>Docs</title><aside><ul>${Array.from({ length: 60 }, (_, i) => `<li><a href="/docs/${i}">Chapter ${i}</a>`).join('')}</ul></aside><main><h1>Guide</h1>${paragraphs(10)}<pre>${'const a = 1;\n'.repeat(40)}</pre></main>`,
  '/app': `<title>App</title>${'<div><div><div><span><div role=button tabindex=0>Do</div></span></div></div></div>'.repeat(40)}<svg><title>pic</title></svg>`,
  '/news': `<title>News</title>${Array.from({ length: 30 }, (_, i) => `<article><h2><a href="/n/${i}">Headline ${i}</a></h2><img alt="A picture ${i}" src="/x"><p>Summary of the story in one sentence.</p><time>today</time></article>`).join('')}`,
  '/calendar': `<title>Calendar</title><table>${Array.from({ length: 6 }, (_, w) => `<tr>${Array.from({ length: 7 }, (_, d) => `<td><button aria-label="Day ${w * 7 + d}">${w * 7 + d}</button></td>`).join('')}</tr>`).join('')}</table>`,
};

// Exchanges names in a directory as another account, as fast as it can, until it is ended.
import { readdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';

const [kind = '', home = '', outside = '', id = ''] = process.argv.slice(2);
/** A forgotten one ends by itself. */
const end = performance.now() + 60_000;

let count = 0;

/** A directory gives way to a link, and comes back. */
function swapDirectory(): void {
  const [name, aside, link] = [`${home}/d`, `${home}/aside`, `${home}/link`];
  symlinkSync(outside, link);
  tryTo(() => renameSync(name, aside));
  if (!tryTo(() => renameSync(link, name))) unlinkSync(link);
  tryTo(() => unlinkSync(name));
  // What a call made at the name in between.
  count += 1;
  if (!tryTo(() => renameSync(aside, name))) {
    tryTo(() => renameSync(name, `${home}/moved-${count}`));
    tryTo(() => renameSync(aside, name));
  }
}

/** A file is replaced by a link, and the link by a file. */
function swapFile(): void {
  symlinkSync(`${outside}/setuid`, `${home}/link`);
  renameSync(`${home}/link`, `${home}/f`);
  writeFileSync(`${home}/new`, 'own');
  renameSync(`${home}/new`, `${home}/f`);
}

/** What the daemon makes beside its target is renamed, and something else takes its name. */
function swapPart(replacement: (at: string) => void): void {
  for (const name of readdirSync(home).filter((entry) => entry.endsWith('.part'))) {
    count += 1;
    tryTo(() => renameSync(`${home}/${name}`, `${home}/moved-${count}`));
    tryTo(() => replacement(`${home}/${name}`));
  }
}

/** A directory that a call has just made gives way to one of root for a moment. */
function swapMade(): void {
  if (!tryTo(() => renameSync(`${home}/made`, `${home}/moved-${count}`))) return;
  count += 1;
  tryTo(() => renameSync(`${home}/of-root`, `${home}/made`));
  tryTo(() => renameSync(`${home}/made`, `${home}/of-root`));
}

function tryTo(action: () => void): boolean {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}

const SWAPS: Readonly<Record<string, () => void>> = {
  directory: swapDirectory,
  file: swapFile,
  made: swapMade,
  'part-by-link': () => swapPart((at) => symlinkSync(outside, at)),
  'part-by-fifo': () => swapPart((at) => renameSync(`${home}/fifo`, at)),
};

process.setgroups?.([]);
process.setgid?.(Number(id));
process.setuid?.(Number(id));
process.stdout.write('ready\n');
while (performance.now() < end) SWAPS[kind]?.();

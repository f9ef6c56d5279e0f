import { glob, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const SOURCES = 'gateway/pages/app';
const TARGET = 'pages/app';

/**
 * Writes what the landing page loads: its modules as one script, its styles as one file, its icon.
 * @returns the files written, relative to `outDir`
 */
export async function bundleApp(root: string, outDir: string): Promise<string[]> {
  await mkdir(join(outDir, TARGET), { recursive: true });
  const build = await rolldown({
    cwd: root,
    platform: 'browser',
    input: { app: join(root, SOURCES, 'main.tsx') },
    transform: { target: 'es2022' },
  });
  try {
    await build.write({ dir: join(outDir, TARGET), format: 'esm', minify: true, entryFileNames: '[name].js' });
  } finally {
    await build.close();
  }
  const styles: string[] = [];
  for await (const file of glob(`${SOURCES}/styles/*.css`, { cwd: root })) styles.push(file);
  const texts = await Promise.all(styles.sort().map((file) => readFile(join(root, file), 'utf8')));
  await writeFile(join(outDir, TARGET, 'app.css'), texts.join('\n'));
  await writeFile(join(outDir, TARGET, 'icon.svg'), await readFile(join(root, SOURCES, 'icon.svg')));
  return ['app.js', 'app.css', 'icon.svg'].map((name) => `${TARGET}/${name}`);
}

/** Writes what the page of terminals shares with the daemon. @returns the file written, relative to `outDir` */
export async function bundleTerminalOutput(root: string, outDir: string): Promise<string> {
  const build = await rolldown({
    cwd: root,
    platform: 'browser',
    input: { 'terminal-output': join(root, 'program/src/terminal/terminal-output.ts') },
    transform: { target: 'es2022' },
  });
  try {
    await build.write({ dir: join(outDir, 'pages/terminal'), format: 'esm', entryFileNames: '[name].js' });
  } finally {
    await build.close();
  }
  return 'pages/terminal/terminal-output.js';
}

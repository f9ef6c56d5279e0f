/** Words that mark a sentence to rewrite in plain technical English. */
const MARKERS: readonly RegExp[] = [
  /\bwhere (?:there|the|it|no|an?)\b/g,
  /\b(?:is|are) (?:no|none)\b/g,
  /\b(?:is|are) not one\b/g,
  /\btold\b|\btells\b/g,
  /\bcomes\b|\bcame\b/g,
  /\bgoes on\b/g,
  /\bso many\b/g,
  /\banew\b/g,
  /\bwhatever\b|\bwhoever\b|\bnobody\b/g,
  /\bAnswers (?:how|what|whether|an?|the)\b/g,
];

/** Markers that a folder may have in 1,000 lines. */
export const MOST_MARKERS = 5;

/** Folders with fewer lines count as part of the folder above them. */
const SMALLEST = 500;

const CODE = /(?<!\.test|\.fixture)\.(?:ts|tsx|mjs|c|h|py|sh)$/;

const isCode = (file: string): boolean => CODE.test(file) && !file.endsWith('structure/language.ts');

const markersIn = (text: string): number => MARKERS.reduce((sum, marker) => sum + (text.match(marker)?.length ?? 0), 0);

/** At most four levels: `daemon/src/capabilities/files`, `gateway/src/exchange`. */
const foldersOf = (file: string): string[] => {
  const parts = file.split('/').slice(0, -1).slice(0, 4);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
};

/** Folders whose code has more than `MOST_MARKERS` markers in 1,000 lines, as `folder: rate`. */
export function literaryFolders(texts: ReadonlyMap<string, string>): string[] {
  const folders = new Map<string, { lines: number; markers: number }>();
  for (const [file, text] of texts) {
    if (!isCode(file)) continue;
    const lines = text.split('\n').length;
    const markers = markersIn(text);
    for (const folder of foldersOf(file)) {
      const counted = folders.get(folder) ?? { lines: 0, markers: 0 };
      folders.set(folder, { lines: counted.lines + lines, markers: counted.markers + markers });
    }
  }
  return [...folders]
    .filter(([, { lines }]) => lines >= SMALLEST)
    .map(([folder, { lines, markers }]) => ({ folder, rate: (1_000 * markers) / lines }))
    .filter(({ rate }) => rate > MOST_MARKERS)
    .map(({ folder, rate }) => `${folder}: ${rate.toFixed(1)}`);
}

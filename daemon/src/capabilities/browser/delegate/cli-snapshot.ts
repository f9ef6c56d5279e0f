/** What a reference of the CLI names. */
export interface Named {
  readonly role: string;
  readonly name: string;
}

interface CliSnapshot {
  readonly text: string;
  readonly named: ReadonlyMap<number, Named>;
  /** References in the text. */
  readonly refs: number;
  readonly isCut: boolean;
}

/** The CLI writes `[disabled, ref=e3, url=…]`. */
const REF = /(, )?\bref=e([1-9]\d{0,8})\b(, )?/g;

/**
 * The text of a snapshot with references of the daemon, as `[ref=e12]`, in place of the CLI's, which begin again in
 * each document; at most `maxLength` characters, in whole lines.
 */
export function snapshotOf(
  data: Readonly<Record<string, unknown>>,
  maxLength: number,
  refOf: (number: number) => string,
): CliSnapshot {
  const given = typeof data['snapshot'] === 'string' ? data['snapshot'] : '';
  const named = namedIn(data['refs']);
  const lines: string[] = [];
  let left = maxLength;
  let refs = 0;
  for (const line of given.split('\n')) {
    const own: string[] = [];
    const text = line.replace(REF, (whole, before = '', digits: string, after = '') => {
      if (!named.has(Number(digits))) return whole;
      own.push(digits);
      return `${before && '] ['}ref=${refOf(Number(digits))}${after && '] ['}`;
    });
    left -= text.length + 1;
    if (left < 0) return { text: lines.join('\n'), named, refs, isCut: true };
    lines.push(text);
    refs += own.length;
  }
  return { text: lines.join('\n'), named, refs, isCut: false };
}

function namedIn(refs: unknown): Map<number, Named> {
  const entries = Object.entries((refs ?? {}) as Record<string, Partial<Named>>);
  return new Map(entries.map(([ref, { role = '', name = '' }]) => [Number(ref.slice(1)), { role, name }]));
}

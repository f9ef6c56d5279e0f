const FAULTS: readonly { readonly pattern: RegExp; readonly fault: string }[] = [
  { pattern: /\b(?:TODO|FIXME)\b/, fault: 'a note to do' },
  {
    pattern: /\b(?:it|test|describe|suite|bench)\.(?:skip|only|todo|fails)\b/,
    fault: 'a test that is switched off, or switches others off',
  },
  { pattern: /(?<![\w.:/-])\/(?:work|root)(?=\/)/, fault: 'a path of one machine' },
];

/** Text that no file of the repository may contain, as `file:line fault`. */
export function textFaults(file: string, text: string): string[] {
  if (import.meta.filename.endsWith(file)) return [];
  return text
    .split('\n')
    .flatMap((line, index) =>
      FAULTS.filter(({ pattern }) => pattern.test(line)).map(({ fault }) => `${file}:${index + 1} ${fault}`),
    );
}

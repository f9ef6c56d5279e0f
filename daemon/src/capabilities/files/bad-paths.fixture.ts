/** Paths that every route refuses, with their kind. @param loop path of a link to itself */
export function badPaths(loop: string): readonly (readonly [string, string])[] {
  return [
    ['of no account', '~no-such-account/x'],
    ['empty', ''],
    ['with NUL', '/tmp/a\0b'],
    ['of 5,000 bytes', `/${'x/'.repeat(2500)}y`],
    ['of a name of 300 bytes', `/tmp/${'x'.repeat(300)}/y`],
    ['through a loop of links', `${loop}/x`],
  ];
}

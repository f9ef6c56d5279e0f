import { SandboxError } from '../sandbox-error.ts';

/**
 * The value of a field that a request may give in two places, such as query and body, or under two names.
 * @param places the value of each place, named as a message names it: `eof in the query`
 * @throws SandboxError `invalid` if two places have different values
 */
export function oneValue<T extends string | number | boolean>(
  places: Readonly<Record<string, T | undefined>>,
): T | undefined {
  const [first, second] = Object.entries(places).filter(
    ([, value], at, all) => value !== undefined && all.findIndex(([, other]) => other === value) === at,
  );
  if (first === undefined || second === undefined) return first?.[1];
  throw new SandboxError('invalid', `${first[0]} differs from ${second[0]}`, { hint: 'send the value once' });
}

import { ValidationFailure } from '../validation.ts';

const HINT = 'send the value once';

/**
 * The value of a field that a request may give in two places, such as query and body, or under two names.
 * @param places the value of each place: the field, then how a message names the other: `eof in the body`
 * @param part the part of the request that has the field
 * @throws ValidationFailure if two places have different values
 */
export function oneValue<T extends string | number | boolean>(
  places: Readonly<Record<string, T | undefined>>,
  part: 'body' | 'querystring' = 'body',
): T | undefined {
  const [first, second] = Object.entries(places).filter(
    ([, value], at, all) => value !== undefined && all.findIndex(([, other]) => other === value) === at,
  );
  if (first === undefined || second === undefined) return first?.[1];
  const issue = { code: 'custom' as const, path: [first[0]], message: `differs from ${second[0]}` };
  throw new ValidationFailure(part, [issue], HINT);
}

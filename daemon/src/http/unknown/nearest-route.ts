import type { App } from '@sandbox/api/http/app-types.ts';
import { distance } from 'fastest-levenshtein';

/** Longest path that is compared with routes, in characters, and in segments. */
const MAX_PATH = 128;
const MAX_SEGMENTS = 8;
/** Cost of a segment that one of two paths lacks, in characters that differ. */
const LACKING = 2;

/** Words that people type for a segment. */
const MEANT: Readonly<Record<string, string>> = {
  bash: 'commands',
  cmd: 'commands',
  exec: 'commands',
  execute: 'commands',
  process: 'commands',
  processes: 'commands',
  run: 'commands',
  shell: 'commands',
  directory: 'fs',
  dir: 'fs',
  file: 'fs',
  files: 'fs',
  filesystem: 'fs',
  kernels: 'code',
  jupyter: 'code',
  python: 'code',
  desktop: 'computer',
  goto: 'navigate',
  ls: 'list',
  mv: 'move',
  cp: 'copy',
  rm: 'delete',
  remove: 'delete',
  get: 'read',
  cat: 'read',
  stdout: 'output',
  logs: 'output',
  term: 'pty',
  terminal: 'pty',
  terminals: 'pty',
};

interface KnownRoute {
  readonly url: string;
  readonly segments: readonly string[];
  readonly methods: Set<string>;
}

/** The routes below a prefix, to name the one that a caller of an unknown route most likely means. */
export class NearestRoute {
  readonly #prefix: string;
  readonly #routes = new Map<string, KnownRoute>();

  /** @param prefix without a slash at its end */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** Learns the routes that are added to the app from here on. */
  watch(app: App): void {
    app.addHook('onRoute', ({ url, method, config }) => {
      if (!url.startsWith(`${this.#prefix}/`) || (config !== undefined && 'isRemoved' in config)) return;
      const known = this.#routes.get(url) ?? { url, segments: this.#segmentsOf(url), methods: new Set<string>() };
      for (const name of [method].flat()) if (name !== 'HEAD') known.methods.add(name.toUpperCase());
      this.#routes.set(url, known);
    });
  }

  /**
   * The route nearest to a path, as method and path; undefined if none is near, or the path is not below the prefix.
   * Its cost is linear in the number of routes, since a long path is compared with none.
   */
  find(method: string, path: string): string | undefined {
    if (path.length > MAX_PATH || !path.startsWith(`${this.#prefix}/`)) return undefined;
    const given = this.#segmentsOf(path).map((segment) => segment.toLowerCase());
    if (given.length > MAX_SEGMENTS) return undefined;
    const { length } = given.join('');
    const most = Math.min(length * 0.75, Math.max(2.5, length / 3));
    let [near, least]: [KnownRoute | undefined, number] = [undefined, Number.POSITIVE_INFINITY];
    for (const route of this.#routes.values()) {
      // A caller who does not delete is not led to do it.
      if (!(route.methods.has(method) || [...route.methods].some((name) => name !== 'DELETE'))) continue;
      // Of two paths that are equally near, the one that has the method.
      const cost = costOf(given, route.segments, Math.min(most, least)) + (route.methods.has(method) ? 0 : 0.5);
      if (cost <= most && cost < least) [near, least] = [route, cost];
    }
    if (near === undefined) return undefined;
    const name = near.methods.has(method) ? method : [...near.methods].filter((each) => each !== 'DELETE').sort()[0];
    return `${name} ${near.url.replaceAll(/:(\w+)/g, '{$1}')}`;
  }

  #segmentsOf(path: string): string[] {
    return path.slice(this.#prefix.length).split('/').filter(Boolean);
  }
}

/**
 * Characters that differ, segment by segment from the first or from the last on.
 * @param most above it the cost is a lower bound, which needs no comparison of characters
 */
function costOf(given: readonly string[], route: readonly string[], most: number): number {
  const surplus = given.length - route.length;
  const lacking = LACKING * Math.abs(surplus);
  const left = most - lacking;
  if (left < 0) return lacking;
  const fromFirst = alignedCost(given, route, 0, left);
  return lacking + (surplus === 0 ? fromFirst : Math.min(fromFirst, alignedCost(given, route, surplus, left)));
}

/** @param surplus segments that are left out at the beginning: of `given` if positive, of `route` if negative */
function alignedCost(given: readonly string[], route: readonly string[], surplus: number, most: number): number {
  const [ofGiven, ofRoute] = [given.slice(Math.max(0, surplus)), route.slice(Math.max(0, -surplus))];
  let cost = 0;
  for (const [at, segment] of ofGiven.slice(0, ofRoute.length).entries()) {
    cost += segmentCost(segment, ofRoute[at], most - cost);
    if (cost > most) break;
  }
  return cost;
}

function segmentCost(given: string, known: string | undefined, most: number): number {
  if (known === undefined) return 0;
  // An id matches any text, but a word that is equal matches better.
  if (known.startsWith(':')) return 1;
  const meant = Object.hasOwn(MEANT, given) ? MEANT[given] : undefined;
  if (meant === known) return 1;
  const least = Math.abs(given.length - known.length);
  return least > most ? least : distance(given, known);
}

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
      const cost = costOf(given, route.segments) + (route.methods.has(method) ? 0 : 0.5);
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

/** Characters that differ, segment by segment from the first or from the last on. */
function costOf(given: readonly string[], route: readonly string[]): number {
  const surplus = given.length - route.length;
  return LACKING * Math.abs(surplus) + Math.min(alignedCost(given, route, 0), alignedCost(given, route, surplus));
}

/** @param surplus segments that are left out at the beginning: of `given` if positive, of `route` if negative */
function alignedCost(given: readonly string[], route: readonly string[], surplus: number): number {
  const [ofGiven, ofRoute] = [given.slice(Math.max(0, surplus)), route.slice(Math.max(0, -surplus))];
  const shared = ofGiven.slice(0, ofRoute.length);
  return shared.reduce((cost, segment, at) => cost + segmentCost(segment, ofRoute[at]), 0);
}

function segmentCost(given = '', known = ''): number {
  // An id matches any text, but a word that is equal matches better.
  if (known.startsWith(':')) return 1;
  const meant = Object.hasOwn(MEANT, given) ? MEANT[given] : undefined;
  return meant === known ? 1 : distance(given, known);
}

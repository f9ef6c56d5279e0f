/** What a requirement may wait for: a part of the product that is not there yet. */
export type Feature =
  | 'browser'
  | 'desktop'
  | 'images'
  | 'kernels'
  | 'mcp'
  | 'packages'
  | 'previews'
  | 'watch'
  | 'windows';

/** One checkable statement of the contract. Some test carries its id at the beginning of its title: `[id] …`. */
export interface Requirement {
  readonly id: string;
  /** Document and section that the statement stands in. */
  readonly source: string;
  readonly behaviour: string;
  readonly waitsFor?: Feature;
}

/** The requirements of one section, by id. */
export function section(source: string, behaviours: Readonly<Record<string, string>>): Requirement[] {
  return Object.entries(behaviours).map(([id, behaviour]) => ({ id, source, behaviour }));
}

/** The requirements of one section that no test can show before `waitsFor` exists. */
export function later(waitsFor: Feature, source: string, behaviours: Readonly<Record<string, string>>): Requirement[] {
  return section(source, behaviours).map((requirement) => ({ ...requirement, waitsFor }));
}

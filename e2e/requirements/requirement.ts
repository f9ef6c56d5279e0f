/** A part of the product that does not exist yet. */
export type Feature = 'browser' | 'desktop' | 'images' | 'kernels' | 'mcp' | 'previews' | 'watch' | 'windows';

/** One testable statement of the contract. A test has its id at the beginning of its title: `[id] …`. */
export interface Requirement {
  readonly id: string;
  /** Document and section of the statement. */
  readonly source: string;
  readonly behaviour: string;
  readonly waitsFor?: Feature;
}

/** The requirements of one section, by id. */
export function section(source: string, behaviours: Readonly<Record<string, string>>): Requirement[] {
  return Object.entries(behaviours).map(([id, behaviour]) => ({ id, source, behaviour }));
}

/** The requirements of one section that cannot be tested before `waitsFor` exists. */
export function later(waitsFor: Feature, source: string, behaviours: Readonly<Record<string, string>>): Requirement[] {
  return section(source, behaviours).map((requirement) => ({ ...requirement, waitsFor }));
}

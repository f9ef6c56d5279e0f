import type { Finding } from './finding.ts';
import { findTool } from './tool-path.ts';

/** Something of the machine that a capability uses; `sandboxd doctor` looks for it and says how to get it. */
export interface Requirement {
  readonly name: string;
  /** Without it the service does not run. */
  readonly required: boolean;
  readonly check: () => Finding | Promise<Finding>;
}

/** Programs on PATH, of which the first that is there serves. */
export function tool(
  name: string,
  { programs = [name], required = false, hint }: { programs?: readonly string[]; required?: boolean; hint: string },
): Requirement {
  return {
    name,
    required,
    check: () => {
      const path = programs.map((program) => findTool(program)).find((found) => found !== undefined);
      return path === undefined
        ? { name, ok: false, detail: `no ${programs.join(' or ')} on PATH`, hint }
        : { name, ok: true, detail: path };
    },
  };
}

import type { SandboxState } from '../../../src/landing/state-fields.ts';

const MARK = '<script type="application/json" id="state">';

/** The state in the text of a document; undefined for another page, such as the form for the key. */
export function stateIn(text: string): SandboxState | undefined {
  const start = text.indexOf(MARK);
  const end = text.indexOf('</script>', start);
  if (start < 0 || end < 0) return undefined;
  return JSON.parse(text.slice(start + MARK.length, end)) as SandboxState;
}

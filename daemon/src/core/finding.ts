/** What a probe found out about a capability, in words for `doctor` and `/ready`. */
export interface Finding {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  /** How to get what is missing. */
  readonly hint?: string;
}

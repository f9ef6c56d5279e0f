/** A pattern that is invalid, or needs ripgrep; the message says why. */
export class PatternError extends Error {}

/** A pattern that means nothing, or nothing without ripgrep; the message says what. */
export class PatternError extends Error {}

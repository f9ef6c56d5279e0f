/**
 * 128 random bits that make an id unique. They are not a secret: `crypto` would take Node longer to load than a request
 * takes, and `crypto.randomUUID` needs a secure context, which a page of `http://` is not.
 */
export function randomId(): string {
  const words = Array.from({ length: 4 }, () => Math.floor(Math.random() * 2 ** 32));
  return words.map((word) => word.toString(16).padStart(8, '0')).join('');
}

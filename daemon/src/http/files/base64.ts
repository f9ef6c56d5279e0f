/** Blanks and both alphabets of RFC 4648 are accepted, padding only at the end. @returns undefined for other text */
export function bytesOfBase64(text: string): Buffer | undefined {
  const end = text.search(/[^A-Za-z0-9+/_\-\s]/);
  const isValid = end < 0 || /^=\s*(?:=\s*)?$/.test(text.slice(end));
  return isValid ? Buffer.from(text, 'base64') : undefined;
}

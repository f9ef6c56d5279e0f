/** The extension of a name with its dot; undefined without one, as for `.profile`. */
export function extensionOf(name: string): string | undefined {
  const at = name.lastIndexOf('.');
  return at <= 0 || at === name.length - 1 || /^\.+$/.test(name.slice(0, at)) ? undefined : name.slice(at);
}

export function isHidden(name: string): boolean {
  return name.startsWith('.');
}

/** A path as the API takes it: text, or bytes in base64 if they are not UTF-8. */
export interface Place {
  readonly path: string;
  readonly path_b64?: string | undefined;
}

/** An entry of `GET /v2/fs/list`. */
export interface Entry extends Place {
  readonly name: string;
  readonly is_directory: boolean;
  readonly is_symlink: boolean;
  readonly is_hidden: boolean;
  readonly size: number;
  readonly modified_time: string;
  readonly permissions: string;
}

export function placeQuery({ path, path_b64 }: Place): { path?: string; path_b64?: string } {
  return path_b64 === undefined ? { path } : { path_b64 };
}

/** The place of a name in a directory. */
export function within({ path, path_b64 }: Place, name: string): Place {
  const joined = path.endsWith('/') ? path + name : `${path}/${name}`;
  if (path_b64 === undefined) return { path: joined };
  const bytes = [...atob(path_b64)].map((character) => character.charCodeAt(0));
  const all = [...bytes, 0x2f, ...new TextEncoder().encode(name)];
  return { path: joined, path_b64: btoa(String.fromCharCode(...all)) };
}

/** The directories above a path and itself, from the root on, each with its name. */
export function ancestorsOf(path: string): readonly { readonly name: string; readonly path: string }[] {
  const names = path.split('/').filter((name) => name !== '');
  const below = names.map((name, index) => ({ name, path: `/${names.slice(0, index + 1).join('/')}` }));
  return [{ name: '/', path: '/' }, ...below];
}

/** Code that sets variables of the environment in a running interpreter; undefined: the language has no way. */
export function variablesCode(language: string, variables: Readonly<Record<string, string>>): string | undefined {
  const names = Object.keys(variables).filter((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  if (names.length === 0) return undefined;
  const given = Object.fromEntries(names.map((name) => [name, variables[name] ?? '']));
  switch (language) {
    case 'python':
      return `import os as _os, json as _json\n_os.environ.update(_json.loads(${pythonText(JSON.stringify(given))}))`;
    case 'javascript':
    case 'typescript':
      return `Object.assign(process.env, ${JSON.stringify(given)});`;
    case 'bash':
      return names.map((name) => `export ${name}=${shellText(given[name] ?? '')}`).join('\n');
    case 'r':
      return `invisible(Sys.setenv(${names.map((name) => `${name} = ${JSON.stringify(given[name])}`).join(', ')}))`;
    default:
      return undefined;
  }
}

/** JSON's escapes are Python's, except those of surrogate pairs, which are left to the JSON parser. */
function pythonText(text: string): string {
  return JSON.stringify(text.replaceAll(/[\u{80}-\u{10ffff}]/gu, (letter) => asEscapes(letter)));
}

function asEscapes(letter: string): string {
  return Array.from({ length: letter.length }, (_, index) => {
    return `\\u${letter.charCodeAt(index).toString(16).padStart(4, '0')}`;
  }).join('');
}

function shellText(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

interface VariableCells {
  /** Keeps the values of before, and sets those given. */
  readonly set: string;
  /** Puts back the values of before. */
  readonly restore: string;
}

/**
 * Code that sets variables of the environment in a running interpreter for one call, and code for after it.
 * Undefined: the language has no way.
 */
export function variableCells(
  language: string,
  variables: Readonly<Record<string, string>>,
): VariableCells | undefined {
  const names = Object.keys(variables).filter((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  if (names.length === 0) return undefined;
  const given = Object.fromEntries(names.map((name) => [name, variables[name] ?? '']));
  switch (language) {
    case 'python':
      return {
        set: `import os as _os, json as _json\n_e2b = _json.loads(${pythonText(JSON.stringify(given))})\n_e2b_env = {n: _os.environ.get(n) for n in _e2b}\n_os.environ.update(_e2b)`,
        restore:
          'for _n, _v in _e2b_env.items():\n  _os.environ.pop(_n, None)\n  if _v is not None: _os.environ[_n] = _v\n',
      };
    case 'javascript':
    case 'typescript': {
      const text = JSON.stringify(given);
      return {
        set: `globalThis.__e2bEnv = Object.keys(${text}).map((n) => [n, process.env[n]]); Object.assign(process.env, ${text});`,
        restore:
          'for (const [n, v] of globalThis.__e2bEnv) { if (v === undefined) delete process.env[n]; else process.env[n] = v; }',
      };
    }
    case 'bash':
      return {
        set: names.map((name) => `${keepInShell(name)}\nexport ${name}=${shellText(given[name] ?? '')}`).join('\n'),
        restore: names.map(restoreInShell).join('\n'),
      };
    case 'r':
      return {
        set: `.e2b_env <- Sys.getenv(c(${names.map((name) => JSON.stringify(name)).join(', ')}), unset = NA, names = TRUE)\ninvisible(Sys.setenv(${names.map((name) => `${name} = ${JSON.stringify(given[name])}`).join(', ')}))`,
        restore:
          'for (n in names(.e2b_env)) if (is.na(.e2b_env[[n]])) Sys.unsetenv(n) else do.call(Sys.setenv, setNames(list(.e2b_env[[n]]), n))',
      };
    default:
      return undefined;
  }
}

function keepInShell(name: string): string {
  return `unset __e2b_${name}; if [ -n "\${${name}+x}" ]; then __e2b_${name}=$${name}; fi`;
}

function restoreInShell(name: string): string {
  return `if [ -n "\${__e2b_${name}+x}" ]; then export ${name}="$__e2b_${name}"; else unset ${name}; fi; unset __e2b_${name}`;
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

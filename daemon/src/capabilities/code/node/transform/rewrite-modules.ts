import { type AnyNode, type ImportDeclaration, type ModuleDeclaration, parse } from 'acorn';

/** What a part of the code is replaced by. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Turns what only modules may contain into what V8's REPL mode takes: `import` statements and `import()` become calls
 * of the interpreter's loader, `import.meta` its object, and `export` of a declaration the declaration. No line moves.
 * @throws SyntaxError of acorn with `loc`
 */
export function rewriteModules(code: string): string {
  const program = parse(code, {
    ecmaVersion: 'latest',
    sourceType: 'script',
    allowImportExportEverywhere: true,
    allowAwaitOutsideFunction: true,
    allowHashBang: true,
  });
  const edits: Edit[] = [];
  for (const node of nodesOf(program)) {
    const edit = editOf(node, code);
    if (edit) edits.push(edit);
  }
  return apply(code, edits);
}

/** Every node, without recursion: the depth of a program is up to its author. */
function* nodesOf(root: AnyNode): Generator<AnyNode> {
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) waiting.push(...value);
    else if ('type' in value) {
      yield value as AnyNode;
      waiting.push(...Object.values(value));
    }
  }
}

function editOf(node: AnyNode, code: string): Edit | undefined {
  const { start, end } = node;
  switch (node.type) {
    case 'ImportExpression':
      return { start, end: start + 'import'.length, text: '__svc_import' };
    case 'MetaProperty':
      return node.meta.name === 'import' ? { start, end, text: '__svc_meta' } : undefined;
    case 'ImportDeclaration':
      return { start, end, text: keepLines(code.slice(start, end), loading(node)) };
    case 'ExportNamedDeclaration':
    case 'ExportDefaultDeclaration':
    case 'ExportAllDeclaration':
      return exportEdit(node, code);
    default:
      return undefined;
  }
}

/** Statements that bind what an import names. A missing export is found by the loader. */
function loading({ specifiers, source, attributes = [] }: ImportDeclaration): string {
  const module = JSON.stringify(source.value);
  const withs = attributes.map(({ key, value }) => {
    const name = key.type === 'Identifier' ? key.name : String(key.value);
    return `${JSON.stringify(name)}: ${JSON.stringify(value.value)}`;
  });
  const options = withs.length > 0 ? `{ with: { ${withs.join(', ')} } }` : 'undefined';
  const names: string[] = [];
  const bound: string[] = [];
  let space: string | undefined;
  for (const specifier of specifiers) {
    if (specifier.type === 'ImportNamespaceSpecifier') {
      space = specifier.local.name;
      continue;
    }
    const name = specifier.type === 'ImportDefaultSpecifier' ? 'default' : nameOf(specifier.imported);
    names.push(JSON.stringify(name));
    bound.push(`${JSON.stringify(name)}: ${specifier.local.name}`);
  }
  const load = `await __svc_import(${module}, ${options}, [${names.join(', ')}])`;
  if (space !== undefined) {
    return bound.length > 0
      ? `const ${space} = ${load}, { ${bound.join(', ')} } = ${space};`
      : `const ${space} = ${load};`;
  }
  return bound.length > 0 ? `const { ${bound.join(', ')} } = ${load};` : `${load};`;
}

/** Keeps the declaration that is exported; an export of names alone has no effect in a cell. */
function exportEdit(node: Extract<ModuleDeclaration, { type: `Export${string}` }>, code: string): Edit {
  const { start, end } = node;
  const declaration = node.type === 'ExportAllDeclaration' ? undefined : node.declaration;
  if (!declaration) return { start, end, text: keepLines(code.slice(start, end), ';') };
  const before = code.slice(start, declaration.start);
  const isNamed = 'id' in declaration && declaration.id !== null && declaration.type.endsWith('Declaration');
  const isStatement = isNamed || declaration.type === 'VariableDeclaration';
  return { start, end: declaration.start, text: keepLines(before, isStatement ? '' : ';') };
}

function nameOf(name: { readonly type: string; readonly name?: string; readonly value?: unknown }): string {
  return name.type === 'Identifier' ? String(name.name) : String(name.value);
}

/** The text with as many line feeds as what it replaces. */
function keepLines(replaced: string, text: string): string {
  return text + '\n'.repeat(replaced.split('\n').length - 1);
}

function apply(code: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, text } of edits.toSorted((a, b) => a.start - b.start)) {
    if (start < at) continue;
    parts.push(code.slice(at, start), text);
    at = end;
  }
  return [...parts, code.slice(at)].join('');
}

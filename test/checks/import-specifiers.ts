/** The module names that a source or built file imports, statically or by `import()` and `require()` of a literal. */
export function importSpecifiers(code: string): string[] {
  const pattern = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\(\s*)(["'])([\w@./:-]+)\1/g
  return [...code.matchAll(pattern)].map((match) => match[2] ?? '')
}

/** `@scope/name` or `name` of a module name of a package; null for files and Node's own modules. */
export function packageOf(specifier: string): string | null {
  if (/^(\.|\/|node:)/.test(specifier)) return null
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

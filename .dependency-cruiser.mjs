/**
 * The dependency rule of docs/architecture.md, made to bite. `test/checks/dependency-rules.test.ts` adds a
 * forbidden import to each folder and expects this configuration to refuse it.
 */
const folder = (name) => `^src/${name}/`
/** A folder of src may reach only the folders listed beside it (and itself). */
const mayReach = {
  shared: [],
  core: ['shared'],
  worker: ['shared'],
  adapters: ['core', 'shared'],
  http: ['adapters', 'core', 'shared'],
  main: ['http', 'adapters', 'core', 'shared'],
  server: ['http', 'adapters', 'core', 'shared'],
  cli: ['adapters', 'core', 'shared'],
  preload: ['shared'],
  renderer: ['shared'],
}
const testFile = '\\.test\\.tsx?$'

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    ...Object.entries(mayReach).map(([from, to]) => ({
      name: `${from}-reaches-only-${to.length === 0 ? 'itself' : to.join('-')}`,
      severity: 'error',
      from: { path: folder(from), pathNot: testFile },
      to: { path: '^(src|e2e|test|bench|scripts)/', pathNot: [from, ...to].map(folder) },
    })),
    {
      name: 'shared-imports-zod-only',
      severity: 'error',
      from: { path: folder('shared'), pathNot: testFile },
      to: { pathNot: ['^src/', '^node_modules/zod/'] },
    },
    {
      name: 'zod-through-the-set-up-validator',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/shared/validator\\.ts$', testFile] },
      to: { path: '^node_modules/zod/' },
    },
    {
      name: 'core-imports-no-package-and-no-node',
      severity: 'error',
      from: { path: folder('core'), pathNot: testFile },
      to: { pathNot: '^src/' },
    },
    {
      name: 'electron-only-in-main-and-preload',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/main/', '^src/preload/'] },
      to: { path: '^(node_modules/)?electron(/|$)' },
    },
    {
      name: 'react-only-in-renderer',
      severity: 'error',
      from: { path: '^src/', pathNot: folder('renderer') },
      to: { path: '^node_modules/(react|react-dom|zustand|@base-ui|i18next|react-i18next)/' },
    },
    {
      name: 'sqlite-only-in-adapters',
      severity: 'error',
      from: { path: '^src/', pathNot: folder('adapters') },
      to: { path: '^node_modules/better-sqlite3/' },
    },
    {
      name: 'no-node-in-the-renderer',
      severity: 'error',
      from: { path: folder('renderer'), pathNot: testFile },
      to: { dependencyTypes: ['core'] },
    },
    // packages whose entry is given by a plain `exports` string are not found by the resolver; tsc finds them
    {
      name: 'resolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^@electron/(asar|fuses)$' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(out|dist)/' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.js', '.cjs', '.mjs', '.json'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
}

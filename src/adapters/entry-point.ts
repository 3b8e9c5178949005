/**
 * Where the programs are that hosts start by path. Built, they lie in `out/main`, beside or one above the chunk
 * this code ended up in; run from source, they are the TypeScript files themselves.
 */
import { basename, dirname, join } from 'node:path'

const sources = {
  worker: 'worker/index.ts',
  'store-thread': 'adapters/store/store-thread.ts',
  server: 'server/index.ts',
  cli: 'cli/index.ts',
  // from source there is no compiled form to keep
  'start-worker': 'worker/index.ts',
} as const

export type EntryPointName = keyof typeof sources

/** Absolute path of the program, for `fork`, `utilityProcess.fork` or `new Worker`. */
export function entryPoint(name: EntryPointName): string {
  if (import.meta.filename.endsWith('.ts')) return join(import.meta.dirname, '..', sources[name])
  const here = import.meta.dirname
  return join(basename(here) === 'chunks' ? dirname(here) : here, `${name}.cjs`)
}

import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'

/**
 * Every process is one input. `worker`, `store-thread`, `server` and `cli` are plain Node programs that
 * happen to be built beside Electron's main: nothing they load may import electron (checked on the output
 * by test/checks).
 */
export default defineConfig({
  main: {
    build: {
      // what every process loads at its start is bundled: hundreds of small files cost more than their code
      externalizeDeps: { exclude: ['zod', 'commander'] },
      rolldownOptions: {
        input: {
          index: 'src/main/index.ts',
          worker: 'src/worker/index.ts',
          'hash-thread': 'src/worker/files/hash-thread.ts',
          'store-thread': 'src/adapters/store/store-thread.ts',
          server: 'src/server/index.ts',
          cli: 'src/cli/index.ts',
          start: 'src/cli/start.ts',
          'start-worker': 'src/cli/start-worker.ts',
        },
        // CommonJS: linking ES modules, and what Node does to show its own modules as such, costs a start 20 ms.
        // ASCII without comments: V8 keeps a text with any other letter at two bytes for each, and every start reads all
        output: {
          format: 'cjs',
          entryFileNames: '[name].cjs',
          chunkFileNames: 'chunks/[name]-[hash].cjs',
          // what is loaded late is required late: a program run from its kept form cannot `import` without a warning
          dynamicImportInCjs: false,
          charset: 'ascii',
          comments: { legal: true, annotation: false, jsdoc: false },
        },
      },
    },
  },
  preload: {
    build: {
      externalizeDeps: false,
      rolldownOptions: {
        input: { index: 'src/preload/index.ts' },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: 'src/renderer',
    build: { minify: true, rolldownOptions: { input: 'src/renderer/index.html' } },
    plugins: [react()],
  },
})

import path from 'node:path'
import { defineConfig } from 'vitest/config'

/**
 * Two projects: rules of the domain run in milliseconds beside the code; everything that starts servers,
 * processes or touches disks runs in `integration`, in forks, so that a leaked handle is seen.
 */
export default defineConfig({
  test: {
    // a third of the time is waiting for servers, disks and clocks; a third file at once won 3 % on two cores
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/{shared,core,renderer,http,server,cli,adapters,worker,main}/**/*.test.ts'],
          environment: 'node',
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/**/*.test.ts'],
          environment: 'node',
          pool: 'forks',
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // what is polled for is no limit that is promised: a second would be one for a busy machine
          expect: { poll: { timeout: 20_000 } },
          // programs that tests start from source: Node keeps what it made of the TypeScript, half of their start
          env: { NODE_COMPILE_CACHE: path.join(import.meta.dirname, 'node_modules/.cache/sluice-tests') },
        },
      },
    ],
  },
})

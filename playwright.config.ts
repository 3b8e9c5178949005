import { defineConfig } from '@playwright/test'
import type { DriverKind } from './e2e/app.ts'

// pictures are for eyes: `npm run screenshots` takes them, a test run does not
const pictures = process.env['SLUICE_SCREENSHOTS'] === undefined ? ['**/screenshots.spec.ts'] : []

/**
 * The same specifications over both hosts. `SLUICE_E2E=all` runs all of them on the desktop host too; without it only
 * those marked `@smoke`, since a start of that host costs seconds.
 */
export default defineConfig<object, { driverKind: DriverKind }>({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts',
  testIgnore: pictures,
  globalSetup: './e2e/say-hosts.ts',
  fullyParallel: true,
  workers: 2,
  timeout: 90_000,
  expect: { timeout: 15_000 },
  // what cannot be clicked by then never will be
  use: { actionTimeout: 30_000 },
  reporter: 'list',
  projects: [
    { name: 'server', use: { driverKind: 'server' } },
    {
      name: 'electron',
      use: { driverKind: 'electron' },
      // about signing in and pages of others, which the desktop app does not have
      testIgnore: ['**/server-*.spec.ts', ...pictures],
      ...(process.env['SLUICE_E2E'] === 'all' ? {} : { grep: /@smoke/ }),
    },
  ],
})

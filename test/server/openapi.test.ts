/** The committed document is the one that is served: renew it with `vitest run test/server/openapi.test.ts -u`. */
import path from 'node:path'
import { expect, test } from 'vitest'
import packageFile from '../../package.json' with { type: 'json' }
import { docsPage } from '../../src/http/rest/docs-page.ts'
import { openApiDocument } from '../../src/http/rest/openapi.ts'
import { routes } from './rest-client.ts'

test('docs/openapi.json is made of the table of routes', async () => {
  const document = JSON.stringify(openApiDocument(routes, packageFile.version), null, 2)
  await expect(`${document}\n`).toMatchFileSnapshot(path.join(import.meta.dirname, '../../docs/openapi.json'))
})

test('the page for people has every route', () => {
  const page = docsPage(routes, packageFile.version)
  for (const { path: pattern } of routes) expect(page).toContain(pattern)
})

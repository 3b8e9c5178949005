/** What describes the API is a file like those of the window: the same for everyone, and without a secret. */
import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { docsPage, docsStyle } from './docs-page.ts'
import { openApiDocument } from './openapi.ts'
import type { RestRoute } from './route.ts'

export function serveDocuments(app: FastifyInstance, routes: readonly RestRoute[], version: string): void {
  const document = openApiDocument(routes, version)
  const page = docsPage(routes, version)
  const styleHash = createHash('sha256').update(docsStyle).digest('base64')
  const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  app.get('/api/openapi.json', (_request, reply) => reply.send(document))
  app.get('/api/docs', (_request, reply) =>
    reply.type('text/html; charset=utf-8').header('Content-Security-Policy', policy).send(page),
  )
}

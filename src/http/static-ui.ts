/**
 * The window's files for a browser. Each file that is there at the start is a route of its own, so no path is ever
 * put together from a request, and no folder can be listed.
 */
import { existsSync } from 'node:fs'
import { dirname, extname, join, sep } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { entryPoint } from '../adapters/entry-point.ts'
import { contentSecurityPolicy } from '../shared/content-security-policy.ts'

/** Folder of the built window; null when it was not built. */
export function windowFolder(): string | null {
  const folder = import.meta.filename.endsWith('.ts')
    ? join(import.meta.dirname, '..', '..', 'out', 'renderer')
    : join(dirname(entryPoint('server')), '..', 'renderer')
  return existsSync(join(folder, 'index.html')) ? folder : null
}

/** Names with a hash in them are made by the build in `assets`: what lies under one never changes. */
const isHashed = (path: string): boolean => path.includes(`${sep}assets${sep}`)

export async function serveWindow(app: FastifyInstance, folder: string): Promise<void> {
  await app.register(fastifyStatic, {
    root: folder,
    wildcard: false,
    decorateReply: false,
    cacheControl: false,
    globIgnore: ['**/*.map'],
    setHeaders: (reply, path) => {
      reply.header('Cache-Control', isHashed(path) ? 'public, max-age=31536000, immutable' : 'no-cache')
      if (extname(path) === '.html') reply.header('Content-Security-Policy', contentSecurityPolicy)
    },
  })
}

/**
 * The window's files, served from the built renderer as `app://sluice/…`. Nothing outside that folder and no
 * kind of file that a page is not made of can be reached.
 */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Protocol } from 'electron'
import { contentSecurityPolicy } from '../shared/content-security-policy.ts'
import { appScheme, isAppUrl } from './app-url.ts'

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
}

const securityHeaders = {
  'Content-Security-Policy': contentSecurityPolicy,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-cache',
}

/** Call before the app is ready. */
export function registerAppScheme(protocol: Protocol): void {
  protocol.registerSchemesAsPrivileged([
    {
      scheme: appScheme,
      privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
    },
  ])
}

export function serveRenderer(protocol: Protocol, rendererFolder: string): void {
  protocol.handle(appScheme, (request) => answerAssetRequest(rendererFolder, request))
}

/** The file behind a URL of the window, and its type; undefined for whatever is not one of its files. */
export function resolveAsset(
  rendererFolder: string,
  url: string,
): { path: string; contentType: string } | undefined {
  if (!isAppUrl(url)) return undefined
  let name: string
  try {
    name = decodeURIComponent(new URL(url).pathname)
  } catch {
    return undefined
  }
  // Separators that only appear after decoding were not seen by the URL parser when it resolved `..`.
  if (/[\\\0:]/.test(name) || name.split('/').includes('..')) return undefined
  const file = path.join(rendererFolder, name === '/' ? 'index.html' : name)
  const inside = path.relative(rendererFolder, file)
  if (inside === '' || inside.startsWith('..') || path.isAbsolute(inside)) return undefined
  const contentType = contentTypes[path.extname(file).toLowerCase()]
  return contentType === undefined ? undefined : { path: file, contentType }
}

async function answerAssetRequest(rendererFolder: string, request: Request): Promise<Response> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(405)
  const asset = resolveAsset(rendererFolder, request.url)
  if (asset === undefined) return refuse(404)
  try {
    const body = new Uint8Array(await readFile(asset.path))
    return new Response(body, { headers: { ...securityHeaders, 'Content-Type': asset.contentType } })
  } catch {
    // not there, or a folder: for the page it is the same
    return refuse(404)
  }
}

function refuse(status: 404 | 405): Response {
  return new Response(null, { status, headers: securityHeaders })
}

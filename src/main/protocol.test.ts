import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { Protocol } from 'electron'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contentSecurityPolicy } from '../shared/content-security-policy.ts'
import { resolveAsset, serveRenderer } from './protocol.ts'

let folder: string
let renderer: string
let answer: (request: Request) => Promise<Response>

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'sluice-protocol-'))
  renderer = path.join(folder, 'renderer')
  await mkdir(path.join(renderer, 'assets'), { recursive: true })
  await writeFile(path.join(renderer, 'index.html'), '<h1>Sluice</h1>')
  await writeFile(path.join(renderer, 'assets/main.js'), '1')
  await writeFile(path.join(renderer, 'secret.key'), 'secret')
  await writeFile(path.join(folder, 'secret.html'), 'secret')
  const protocol: Pick<Protocol, 'handle'> = {
    handle: (_scheme, handler) => {
      answer = async (request) => handler(request)
    },
  }
  // only `handle` is used
  serveRenderer(protocol as Protocol, renderer)
})

afterAll(() => rm(folder, { recursive: true, force: true }))

test('the page and its parts are served with their types', async () => {
  const page = await answer(new Request('app://sluice/'))
  expect(page.status).toBe(200)
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(await page.text()).toBe('<h1>Sluice</h1>')
  const script = await answer(new Request('app://sluice/assets/main.js'))
  expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
})

test('every answer carries the content security policy and its company, refusals too', async () => {
  for (const url of ['app://sluice/index.html', 'app://sluice/none.html', 'app://other/index.html']) {
    const { headers } = await answer(new Request(url))
    expect(headers.get('content-security-policy')).toBe(contentSecurityPolicy)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
  }
})

test('the policy allows nothing by default, no inline script, no plug-in, no frame', () => {
  expect(contentSecurityPolicy).toContain("default-src 'none'")
  expect(contentSecurityPolicy).toContain("script-src 'self'")
  expect(contentSecurityPolicy).toContain("require-trusted-types-for 'script'")
  expect(contentSecurityPolicy).not.toContain('unsafe')
  expect(contentSecurityPolicy).not.toMatch(/https?:|\*/)
})

test.each([
  'app://sluice/../secret.html',
  'app://sluice/%2e%2e/secret.html',
  'app://sluice/..%2fsecret.html',
  'app://sluice/assets/..%2f..%2fsecret.html',
  'app://sluice/..%5csecret.html',
  'app://sluice/%2fetc/passwd',
  'app://sluice//etc/hostname.html',
  'app://sluice/secret.key',
  'app://sluice/assets',
  'app://sluice/assets/',
  'app://sluice/index.html%00.js',
  'app://sluice/%',
  'app://other/index.html',
])('%s is not served', async (url) => {
  const response = await answer(new Request(url))
  expect(response.status).toBe(404)
  expect(await response.text()).toBe('')
})

test('only reading is answered', async () => {
  const response = await answer(new Request('app://sluice/index.html', { method: 'POST', body: 'x' }))
  expect(response.status).toBe(405)
})

test('no path whatever leads out of the folder', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '..',
      '.',
      '%2e%2e',
      '%2E%2e',
      '%2f',
      '%5c',
      '\\',
      '//',
      '%00',
      'assets',
      'a.html',
      ':',
      'C:',
    ),
    fc.string({ maxLength: 6 }),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const asset = resolveAsset(renderer, `app://sluice/${pieces.join('/')}`)
      if (asset === undefined) return
      expect(asset.path.startsWith(renderer + path.sep)).toBe(true)
    }),
    { numRuns: 2000 },
  )
})

/** Rules about the sources and the built files that no running app would show. */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { contentSecurityPolicy } from '../../src/shared/content-security-policy.ts'
import { root } from './launch-app.ts'

/** Files below src in which the pattern stands, tests aside. */
function filesWith(pattern: RegExp): string[] {
  return globSync('src/**/*.{ts,tsx}', { cwd: root })
    .filter((file) => !file.includes('.test.') && pattern.test(readFileSync(path.join(root, file), 'utf8')))
    .sort()
}

test('windows are made in one place', () => {
  expect(filesWith(/new (BrowserWindow|BrowserView|WebContentsView)\b/)).toEqual(['src/main/window.ts'])
})

test('nothing of IPC is used but the transport in the host and the bridge in the preload', () => {
  expect(filesWith(/\bipcMain\.(on|once|handle|handleOnce)\b/)).toEqual(['src/main/ipc-transport.ts'])
  expect(filesWith(/\bipcRenderer\b/)).toEqual(['src/preload/index.ts'])
})

test('links and files leave for the desktop in one place each', () => {
  expect(filesWith(/\bopenExternal\(/)).toEqual(['src/main/security.ts'])
  expect(filesWith(/\bopenPath\(/)).toEqual(['src/main/desktop-commands.ts'])
})

test('nothing loads a page but the window, and that only its own', () => {
  expect(filesWith(/\bloadFile\(/)).toEqual([])
  expect(filesWith(/\bloadURL\(/)).toEqual(['src/main/main-window.ts'])
})

test('the page carries the policy that both hosts send with it, but for what only a header can say', () => {
  const page = readFileSync(path.join(root, 'out/renderer/index.html'), 'utf8')
  const carried = /http-equiv="Content-Security-Policy"\s+content="([^"]*)"/.exec(page)?.[1]
  expect(`${carried}; frame-ancestors 'none'`.split('; ').sort()).toEqual(
    contentSecurityPolicy.split('; ').sort(),
  )
})

test('nothing of the window makes markup or code out of text', () => {
  expect(filesWith(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function\b/)).toEqual(
    [],
  )
})

test('the preload is one script that requires Electron alone and carries no validator', () => {
  const preload = readFileSync(path.join(root, 'out/preload/index.cjs'), 'utf8')
  const required = [...preload.matchAll(/require\((['"`])(.*?)\1\)/g)].map((match) => match[2])
  expect(required).toEqual(['electron'])
  expect(preload).not.toMatch(/zod|safeParse/i)
  expect(preload.length).toBeLessThan(8000)
})

test('Electron is of a version in which the known ways around context isolation are closed', () => {
  const { version } = JSON.parse(
    readFileSync(path.join(root, 'node_modules/electron/package.json'), 'utf8'),
  ) as { version: string }
  expect(Number(version.split('.')[0])).toBeGreaterThanOrEqual(42)
})

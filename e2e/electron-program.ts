/** Which program runs the desktop specifications: Electron where it is installed, else the double of this folder. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

const root = path.join(import.meta.dirname, '..')

export interface ElectronProgram {
  /** for reports: which of the two ran */
  readonly kind: 'electron' | 'electron double'
  readonly executablePath: string
}

export function electronProgram(): ElectronProgram {
  const folder = path.join(root, 'node_modules/electron')
  const note = path.join(folder, 'path.txt')
  if (existsSync(note)) {
    const installed = path.join(folder, 'dist', readFileSync(note, 'utf8'))
    if (existsSync(installed)) return { kind: 'electron', executablePath: installed }
  }
  return { kind: 'electron double', executablePath: path.join(root, 'e2e/electron-double/electron') }
}

/** The environment of a tested app: nothing of the desktop that tests run on, nor of its language. */
export function electronEnvironment(home: string): Record<string, string> {
  const browser = process.env['SLUICE_TEST_BROWSER']
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    LANG: 'en_US.UTF-8',
    ...(browser === undefined ? {} : { SLUICE_TEST_BROWSER: browser }),
  }
}

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

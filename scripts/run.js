// Running other programs from scripts, in plain Node: these run before anything is installed.
import { spawn, spawnSync } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const project = join(fileURLToPath(import.meta.url), '../..')

/** The environment in which npm runs scripts: the project's programs, its own Node among them, come first. */
export function projectEnvironment() {
  return { ...process.env, PATH: join(project, 'node_modules/.bin') + delimiter + (process.env.PATH ?? '') }
}

/** Whether a program answers at all. */
export function isInstalled(program, args = ['--version']) {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0
}

/**
 * Runs a program to its end and collects what it says.
 * @returns {Promise<{ code: number, output: string }>} 127 when it cannot be started
 */
export function run(program, args, options = {}) {
  const { env = projectEnvironment(), inherit = false, cwd = project } = options
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, env, stdio: inherit ? 'inherit' : ['ignore', 'pipe', 'pipe'] })
    let output = ''
    child.stdout?.on('data', (chunk) => (output += chunk))
    child.stderr?.on('data', (chunk) => (output += chunk))
    child.on('error', (error) => resolve({ code: 127, output: error.message }))
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
}

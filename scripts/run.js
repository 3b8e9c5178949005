/** Running other programs from scripts, in plain Node: these run before anything is installed. */
import { spawn, spawnSync } from 'node:child_process'
import path from 'node:path'

export const project = path.join(import.meta.dirname, '..')
const modules = path.join(project, 'node_modules')

/** The Node that everything but these scripts runs under (the npm package `node`). */
export const pinnedNode = path.join(modules, 'node/bin', process.platform === 'win32' ? 'node.exe' : 'node')

/** The environment in which npm runs scripts: the project's programs, its own Node among them, come first. */
export function projectEnvironment() {
  return { ...process.env, PATH: path.join(modules, '.bin') + path.delimiter + (process.env.PATH ?? '') }
}

/** Ends the script with two lines: what is wrong, and the next step. */
export function giveUp(message, hint) {
  process.stderr.write(`sluice: ${message}\n${hint}\n`)
  process.exit(1)
}

/** Whether a program answers at all. */
export function isInstalled(program, args = ['--version']) {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0
}

/**
 * Runs a program to its end and collects what it says, unless `inherit` shows it.
 * @returns {Promise<{ code: number, output: string }>} 127 when it cannot be started
 */
export function run(program, args, options = {}) {
  const { env = projectEnvironment(), inherit = false } = options
  return new Promise((resolve) => {
    const stdio = ['ignore', inherit ? 'inherit' : 'pipe', inherit ? 'inherit' : 'pipe']
    const child = spawn(program, args, { cwd: project, env, stdio })
    let output = ''
    child.stdout?.on('data', (chunk) => (output += chunk))
    child.stderr?.on('data', (chunk) => (output += chunk))
    child.on('error', (error) => resolve({ code: 127, output: error.message }))
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
}

/**
 * Runs a program of node_modules under the pinned Node.
 * @param {string} program its script within node_modules: the links in `.bin` are no scripts on every system
 */
export function runTool(program, args, options) {
  return run(pinnedNode, [path.join(modules, program), ...args], options)
}

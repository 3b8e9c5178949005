'use strict'
/** `utilityProcess` by child_process.fork; utility-child.cjs gives the child its `process.parentPort`. */
const { fork } = require('node:child_process')
const { EventEmitter } = require('node:events')
const path = require('node:path')

const running = new Set()

const stdioOf = {
  pipe: ['ignore', 'pipe', 'pipe', 'ipc'],
  ignore: ['ignore', 'ignore', 'ignore', 'ipc'],
  inherit: ['ignore', 'inherit', 'inherit', 'ipc'],
}

class UtilityProcess extends EventEmitter {
  #child

  constructor(child) {
    super()
    this.#child = child
    this.stdout = child.stdout
    this.stderr = child.stderr
    child.on('spawn', () => this.emit('spawn'))
    child.on('message', ({ message }) => this.emit('message', message))
    child.on('error', (error) => console.error('electron-double: utility process', error))
    child.on('exit', (code, signal) => {
      running.delete(child)
      this.emit('exit', code ?? (signal === 'SIGTERM' ? 15 : 9))
    })
  }
  get pid() {
    const { exitCode, signalCode, pid } = this.#child
    return exitCode === null && signalCode === null ? pid : undefined
  }
  postMessage(message) {
    if (this.#child.connected) this.#child.send({ message })
  }
  kill() {
    return this.#child.kill()
  }
}

exports.utilityProcess = {
  fork(file, args = [], options = {}) {
    const child = fork(file, args, {
      cwd: options.cwd,
      env: options.env,
      execArgv: ['--require', path.join(__dirname, 'utility-child.cjs'), ...(options.execArgv ?? [])],
      // values are structured clones, as in Electron
      serialization: 'advanced',
      stdio: Array.isArray(options.stdio) ? [...options.stdio, 'ipc'] : stdioOf[options.stdio ?? 'inherit'],
    })
    running.add(child)
    return new UtilityProcess(child)
  },
}

/** Electron takes its utility processes with it. */
exports.killUtilityProcesses = () => {
  for (const child of running) child.kill('SIGKILL')
}

'use strict'
/** The lock that lets one instance run per data folder and hands a second one's arguments to the first. */
const { spawnSync } = require('node:child_process')
const { createHash } = require('node:crypto')
const fs = require('node:fs')
const net = require('node:net')
const path = require('node:path')

/** Where the first instance listens: on Linux a socket without a file, which ends with its process. */
function socketAt(name) {
  const isLinux = process.platform === 'linux'
  return isLinux ? `\0electron-double-${name}` : `${require('node:os').tmpdir()}/electron-double-${name}.sock`
}

/**
 * Runs in a process of its own, since the second instance has to wait for it without an event loop. Arguments cannot
 * carry the NUL that begins the name of a socket without a file, so that is put before it here too.
 */
const handOver = `
  const [name, message] = process.argv.slice(1)
  const socket = ${socketAt.toString()}
  require('net').connect(socket(name)).end(message).on('error', () => process.exit(1))`

class SingleInstance {
  #lock
  #server
  #onSecond

  constructor(onSecond) {
    this.#onSecond = onSecond
  }

  get held() {
    return this.#lock !== undefined
  }

  request(folder, data) {
    if (this.held) return true
    const lock = path.join(folder, 'electron-double.lock')
    const name = createHash('sha256').update(folder).digest('hex').slice(0, 16)
    fs.mkdirSync(folder, { recursive: true })
    while (!this.#take(lock)) {
      const owner = Number(fs.readFileSync(lock, 'utf8'))
      if (isAlive(owner)) {
        const message = JSON.stringify({ argv: process.argv, cwd: process.cwd(), data })
        spawnSync(process.execPath, ['-e', handOver, name, message])
        return false
      }
      fs.rmSync(lock, { force: true })
    }
    this.#lock = lock
    this.#listen(socketAt(name))
    return true
  }

  release() {
    this.#server?.close()
    if (this.#lock !== undefined) fs.rmSync(this.#lock, { force: true })
    this.#lock = undefined
  }

  #take(lock) {
    try {
      fs.writeFileSync(lock, String(process.pid), { flag: 'wx' })
      return true
    } catch {
      return false
    }
  }

  #listen(socket) {
    this.#server = net.createServer((connection) => {
      let text = ''
      connection.on('data', (data) => (text += data))
      connection.on('end', () => this.#onSecond(JSON.parse(text)))
    })
    this.#server.listen(socket).unref()
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

exports.SingleInstance = SingleInstance

'use strict'
/** The lock that lets one instance run per data folder and hands a second one's arguments to the first. */
const { spawnSync } = require('node:child_process')
const { createHash } = require('node:crypto')
const fs = require('node:fs')
const net = require('node:net')
const os = require('node:os')
const path = require('node:path')

/** Runs in a process of its own, since the second instance has to wait for it without an event loop. */
const handOver = `require('net').connect(process.argv[1]).end(process.argv[2]).on('error', () => process.exit(1))`

class SingleInstance {
  #files
  #server
  #onSecond

  constructor(onSecond) {
    this.#onSecond = onSecond
  }

  get held() {
    return this.#files !== undefined
  }

  request(folder, data) {
    if (this.held) return true
    const lock = path.join(folder, 'electron-double.lock')
    // a socket's path may have about a hundred characters, so it cannot lie in the data folder
    const name = createHash('sha256').update(folder).digest('hex').slice(0, 16)
    const socket = path.join(os.tmpdir(), `electron-double-${name}.sock`)
    fs.mkdirSync(folder, { recursive: true })
    while (!this.#take(lock)) {
      const owner = Number(fs.readFileSync(lock, 'utf8'))
      if (isAlive(owner)) {
        const message = JSON.stringify({ argv: process.argv, cwd: process.cwd(), data })
        spawnSync(process.execPath, ['-e', handOver, socket, message])
        return false
      }
      fs.rmSync(lock, { force: true })
    }
    fs.rmSync(socket, { force: true })
    this.#files = [lock, socket]
    this.#listen(socket)
    return true
  }

  release() {
    this.#server?.close()
    for (const file of this.#files ?? []) fs.rmSync(file, { force: true })
    this.#files = undefined
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

'use strict'
/** A client of the Chrome DevTools Protocol over one WebSocket, with flat sessions; nothing but Node's own. */
const { EventEmitter } = require('node:events')

/** One attached target. Emits the target's events under their protocol names. */
class Session extends EventEmitter {
  constructor(connection, id) {
    super()
    this.connection = connection
    this.id = id
  }

  send(method, params) {
    return this.connection.send(method, params, this.id)
  }
}

/** The browser itself. Emits browser-level events under their protocol names. */
class DevTools extends EventEmitter {
  constructor() {
    super()
    this.lastId = 0
    this.waiting = new Map()
    this.sessions = new Map()
  }

  async connect(url) {
    this.socket = new WebSocket(url)
    await new Promise((resolve, reject) => {
      this.socket.onopen = resolve
      this.socket.onerror = () => reject(new Error('cannot connect to Chromium'))
    })
    this.socket.onmessage = (message) => this.receive(JSON.parse(message.data))
    this.socket.onclose = () => {
      for (const { reject } of this.waiting.values()) reject(new Error('Chromium is gone'))
      this.waiting.clear()
    }
  }

  /** Calls a method; rejects with the method's name and Chromium's reason. */
  send(method, params = {}, sessionId = undefined) {
    return new Promise((resolve, reject) => {
      if (this.socket?.readyState !== WebSocket.OPEN) return reject(new Error('Chromium is gone'))
      const id = ++this.lastId
      this.waiting.set(id, { resolve, reject, method })
      this.socket.send(JSON.stringify({ id, method, params, sessionId }))
    })
  }

  async attach(targetId) {
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true })
    const session = new Session(this, sessionId)
    this.sessions.set(sessionId, session)
    return session
  }

  receive(message) {
    if (message.id !== undefined) {
      const call = this.waiting.get(message.id)
      this.waiting.delete(message.id)
      if (message.error) call.reject(new Error(`${call.method}: ${message.error.message}`))
      else call.resolve(message.result)
      return
    }
    const target = message.sessionId === undefined ? this : this.sessions.get(message.sessionId)
    target?.emit(message.method, message.params)
  }
}

exports.devtools = new DevTools()

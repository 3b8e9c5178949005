'use strict'
/** Loaded first in a utility process: `process.parentPort` over the channel of child_process.fork. */
const { EventEmitter } = require('node:events')

const parentPort = new EventEmitter()
parentPort.postMessage = (message) => process.send({ message })
parentPort.start = () => undefined
parentPort.close = () => process.disconnect()

process.on('message', ({ message }) => parentPort.emit('message', { data: message, ports: [] }))
// a utility process hears that its parent is gone, and does not outlive it for long
process.on('disconnect', () => {
  parentPort.emit('close')
  setTimeout(() => process.exit(0), 1000)
})
process.parentPort = parentPort
process.type = 'utility'

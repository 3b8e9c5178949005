/**
 * One end of the link between the page's own world and the preload's isolated world, which share the DOM and no
 * objects. Both ends dispatch CustomEvents under names that the page does not know; dispatching is synchronous,
 * and Chromium clones `detail` on its way into the other world. Functions and promises cross as numbers.
 * The text of this function is put into both worlds.
 */
;(function makeWorldLink(outgoing, incoming) {
  const functions = new Map()
  const idOfFunction = new WeakMap()
  const promises = new Map()
  const returns = new Map()
  const handlers = new Map()
  let lastId = 0
  const refused = () => new Error('An object could not be cloned.')
  const send = (message) => window.dispatchEvent(new CustomEvent(outgoing, { detail: message }))

  function encodeFunction(value) {
    let id = idOfFunction.get(value)
    if (id === undefined) {
      id = ++lastId
      idOfFunction.set(value, id)
      functions.set(id, value)
    }
    return { type: 'function', id }
  }

  function encodePromise(value) {
    const id = ++lastId
    value.then(
      (result) => send({ kind: 'resolved', id, value: encode(result) }),
      (error) => send({ kind: 'rejected', id, value: encode(error) }),
    )
    return { type: 'promise', id }
  }

  function encode(value) {
    if (typeof value === 'function') return encodeFunction(value)
    if (typeof value === 'symbol') throw refused()
    if (value === null || typeof value !== 'object') return { type: 'value', value }
    if (typeof value.then === 'function') return encodePromise(value)
    if (value instanceof Error) return { type: 'error', name: value.name, message: value.message }
    if (Array.isArray(value)) return { type: 'array', items: value.map(encode) }
    if (Object.prototype.toString.call(value) === '[object Object]') {
      return { type: 'object', entries: Object.keys(value).map((key) => [key, encode(value[key])]) }
    }
    return { type: 'value', value } // a Date, Map, typed array: cloned by Chromium
  }

  function decode(message) {
    switch (message.type) {
      case 'function':
        return (...args) => call(message.id, args)
      case 'promise':
        return new Promise((resolve, reject) => promises.set(message.id, { resolve, reject }))
      case 'error': {
        const Constructor = globalThis[message.name]
        return new (typeof Constructor === 'function' ? Constructor : Error)(message.message)
      }
      case 'array':
        return message.items.map(decode)
      case 'object':
        return Object.fromEntries(message.entries.map(([key, value]) => [key, decode(value)]))
      default:
        return message.value
    }
  }

  /** Calls a function of the other world; its answer comes back while the event is being dispatched. */
  function call(id, args) {
    const sequence = ++lastId
    let answer
    returns.set(sequence, (message) => (answer = message))
    send({ kind: 'call', sequence, id, args: encode(args) })
    returns.delete(sequence)
    if (answer === undefined) throw refused()
    if (answer.error !== undefined) throw decode(answer.error)
    return decode(answer.value)
  }

  function answerCall(message) {
    const sequence = message.sequence
    try {
      const value = functions.get(message.id)(...decode(message.args))
      send({ kind: 'return', sequence, value: encode(value) })
    } catch (error) {
      send({ kind: 'return', sequence, error: encode(error) })
    }
  }

  window.addEventListener(incoming, (event) => {
    const message = event.detail
    event.stopImmediatePropagation()
    switch (message?.kind) {
      case 'call':
        return answerCall(message)
      case 'return':
        return returns.get(message.sequence)?.(message)
      case 'resolved':
        promises.get(message.id)?.resolve(decode(message.value))
        return promises.delete(message.id)
      case 'rejected':
        promises.get(message.id)?.reject(decode(message.value))
        return promises.delete(message.id)
      case 'tell':
        return handlers.get(message.topic)?.(...decode(message.args))
    }
  })

  return {
    tell: (topic, ...args) => send({ kind: 'tell', topic, args: encode(args) }),
    onTell: (topic, handler) => handlers.set(topic, handler),
  }
})

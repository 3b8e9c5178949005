/**
 * Structured values to JSON text and back: what Electron's IPC carries, so that a Date arrives as a Date and a
 * function is refused. The text of this function is also put into the pages, so it uses nothing from outside.
 * Unlike the real thing it knows no cycles and no transfer.
 */
;(function makeCodec() {
  const refused = () => new Error('An object could not be cloned.')
  const tagged = (type, value) => ({ $: type, v: value })

  function encodeNumber(value) {
    if (Number.isFinite(value) && !Object.is(value, -0)) return value
    return tagged('number', Object.is(value, -0) ? '-0' : String(value))
  }

  function encodeObject(value, above) {
    if (above.includes(value)) throw new Error('electron-double: values with cycles are not supported')
    const path = [...above, value]
    const inner = (each) => encode(each, path)
    if (Array.isArray(value)) return value.map(inner)
    if (ArrayBuffer.isView(value)) {
      const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
      return tagged('bytes', [value.constructor.name, [...bytes]])
    }
    const kind = Object.prototype.toString.call(value).slice(8, -1)
    switch (kind) {
      case 'Date':
        return tagged('date', value.getTime())
      case 'RegExp':
        return tagged('regexp', [value.source, value.flags])
      case 'Map':
        return tagged('map', [...value].map(inner))
      case 'Set':
        return tagged('set', [...value].map(inner))
      case 'Error':
        return tagged('error', [value.name, value.message])
      case 'ArrayBuffer':
        return tagged('bytes', ['', [...new Uint8Array(value)]])
      case 'Promise':
      case 'WeakMap':
      case 'WeakSet':
      case 'WeakRef':
        throw refused()
    }
    const plain = Object.fromEntries(Object.keys(value).map((key) => [key, inner(value[key])]))
    return '$' in plain ? tagged('object', Object.entries(plain)) : plain
  }

  function encode(value, above) {
    if (value === undefined) return tagged('undefined')
    if (value === null) return null
    switch (typeof value) {
      case 'number':
        return encodeNumber(value)
      case 'bigint':
        return tagged('bigint', String(value))
      case 'function':
      case 'symbol':
        throw refused()
      case 'object':
        return encodeObject(value, above)
      default:
        return value
    }
  }

  function decodeError([name, message]) {
    const Constructor = globalThis[name]
    const error = new (typeof Constructor === 'function' && name.endsWith('Error') ? Constructor : Error)(
      message,
    )
    return error
  }

  function decodeTagged(type, value) {
    switch (type) {
      case 'undefined':
        return undefined
      case 'number':
        return Number(value)
      case 'bigint':
        return BigInt(value)
      case 'date':
        return new Date(value)
      case 'regexp':
        return new RegExp(value[0], value[1])
      case 'map':
        return new Map(value.map(decode))
      case 'set':
        return new Set(value.map(decode))
      case 'error':
        return decodeError(value)
      case 'bytes': {
        const { buffer } = Uint8Array.from(value[1])
        return value[0] === '' ? buffer : new globalThis[value[0]](buffer)
      }
      case 'object':
        return Object.fromEntries(value.map(([key, each]) => [key, decode(each)]))
    }
  }

  function decode(value) {
    if (value === null || typeof value !== 'object') return value
    if (Array.isArray(value)) return value.map(decode)
    if ('$' in value) return decodeTagged(value.$, value.v)
    return Object.fromEntries(Object.keys(value).map((key) => [key, decode(value[key])]))
  }

  return {
    toText: (value) => JSON.stringify(encode(value, [])),
    fromText: (text) => decode(JSON.parse(text)),
  }
})

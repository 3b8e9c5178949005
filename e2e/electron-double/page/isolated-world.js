/**
 * Runs in the preload's isolated world of the main frame: `ipcRenderer`, `contextBridge` and the few modules
 * that a sandboxed preload may require, then the preload itself. `__electronDoublePost` is a binding that
 * exists in this world only; the main process answers by evaluating `__electronDoubleReceive(text)` here.
 */
;(function isolatedWorld(codec, link, processFacts, runPreload) {
  const post = (message) => globalThis.__electronDoublePost(codec.toText(message))
  const calls = new Map()
  const listeners = new Map()
  let lastId = 0

  function settle(message) {
    const call = calls.get(message.id)
    calls.delete(message.id)
    if (call === undefined) return
    if (message.error === undefined) call.resolve(message.value)
    else call.reject(new Error(`Error invoking remote method '${call.channel}': ${message.error}`))
  }

  function deliver(message) {
    const event = { sender: ipcRenderer, senderId: 0, ports: [] }
    for (const listener of [...(listeners.get(message.channel) ?? [])]) {
      try {
        listener(event, ...message.args)
      } catch (error) {
        reportError(error)
      }
    }
  }

  globalThis.__electronDoubleReceive = (...texts) => {
    for (const text of texts) {
      const message = codec.fromText(text)
      if (message.kind === 'reply') settle(message)
      else deliver(message)
    }
  }

  const ipcRenderer = {
    invoke: (channel, ...args) =>
      new Promise((resolve, reject) => {
        const id = ++lastId
        post({ kind: 'invoke', id, channel, args }) // throws (rejects) before anything is kept
        calls.set(id, { channel, resolve, reject })
      }),
    send: (channel, ...args) => post({ kind: 'send', channel, args }),
    sendSync: () => {
      throw new Error('electron-double: sendSync is not supported')
    },
    on: (channel, listener) => {
      listeners.set(channel, [...(listeners.get(channel) ?? []), listener])
      return ipcRenderer
    },
    once: (channel, listener) => {
      const once = (...args) => {
        ipcRenderer.off(channel, once)
        listener(...args)
      }
      once.original = listener
      return ipcRenderer.on(channel, once)
    },
    off: (channel, listener) => {
      const kept = (listeners.get(channel) ?? []).filter(
        (each) => each !== listener && each.original !== listener,
      )
      listeners.set(channel, kept)
      return ipcRenderer
    },
    removeAllListeners: (channel) => {
      if (channel === undefined) listeners.clear()
      else listeners.delete(channel)
      return ipcRenderer
    },
    listenerCount: (channel) => (listeners.get(channel) ?? []).length,
  }
  ipcRenderer.addListener = ipcRenderer.on
  ipcRenderer.removeListener = ipcRenderer.off

  link.onTell('open', (url, name) => post({ kind: 'open', url, name }))

  const electron = {
    ipcRenderer,
    contextBridge: { exposeInMainWorld: (name, value) => link.tell('expose', name, value) },
    webUtils: { getPathForFile: (file) => file.path ?? '' },
    webFrame: { setZoomFactor: () => undefined, getZoomFactor: () => 1 },
  }
  const require = (name) => {
    if (/^electron(\/(renderer|common))?$/.test(name)) return electron
    throw new Error(`module not found: ${name}`)
  }
  try {
    runPreload(require, processFacts)
  } catch (error) {
    console.error('Unable to load preload script', error)
    throw error
  }
})

'use strict'
/**
 * Custom schemes. Chromium refuses a scheme that it does not know before DevTools sees the request, so the page
 * is shown `https://<host>--<scheme>.electron-double.invalid/…` for `<scheme>://<host>/…`: a secure context too,
 * and never resolved, since every such request is answered by the application's handler. URLs are mapped back
 * wherever the application sees them.
 */
const handlers = new Map()
const shown = /^https:\/\/([^/]*)--([a-z][\w+.-]*)\.electron-double\.invalid/

exports.protocol = {
  registerSchemesAsPrivileged() {
    const { app } = require('./app.cjs')
    if (app.isReady())
      throw new Error('protocol.registerSchemesAsPrivileged should be called before app is ready')
  },
  handle(scheme, handler) {
    if (handlers.has(scheme)) throw new Error(`${scheme} protocol is already handled`)
    handlers.set(scheme, handler)
  },
  unhandle: (scheme) => handlers.delete(scheme),
  isProtocolHandled: (scheme) => handlers.has(scheme),
}

/** The URL that Chromium gets for one of the application's. */
exports.toPageUrl = (url) => {
  const parts = /^([a-z][\w+.-]*):\/\/([^/?#]*)(.*)$/i.exec(url)
  if (parts === null || !handlers.has(parts[1])) return url
  return `https://${parts[2] || 'none'}--${parts[1]}.electron-double.invalid${parts[3] || '/'}`
}

/** The URL that the application gets for one of Chromium's. */
exports.toAppUrl = (url) => String(url).replace(shown, '$2://$1')

/** Asks the application's handler; undefined when the request's scheme is not a custom one. */
exports.answerRequest = async (request) => {
  const scheme = shown.exec(request.url)?.[2]
  if (scheme === undefined) return undefined
  const body = ['GET', 'HEAD'].includes(request.method) ? undefined : request.postData
  const response = await handlers.get(scheme)(
    new Request(exports.toAppUrl(request.url), { method: request.method, headers: request.headers, body }),
  )
  return {
    responseCode: response.status,
    responseHeaders: [...response.headers].map(([name, value]) => ({ name, value })),
    body: Buffer.from(await response.arrayBuffer()).toString('base64'),
  }
}

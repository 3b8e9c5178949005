/** Rules for request headers that come from outside: what is taken, and what is ours alone to set. */
import { SluiceError } from './errors.ts'
import type { Headers } from './task/resource.ts'

/** Fields that frame the message or steer the transfer: set by the engine, never by a caller. */
const managed = new Set([
  'host',
  'connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'range',
  'if-range',
  'accept-encoding',
  'proxy-authorization',
  'proxy-connection',
])

/** Most headers, and most characters of one, that are taken. */
export const maxHeaders = 64
export const maxHeaderLength = 8192

function refuse(message: string): never {
  throw new SluiceError('INVALID_INPUT', message, { hint: 'Correct the header, or leave it out.' })
}

/** Returns the headers as they may be sent. Throws `INVALID_INPUT`: bad names, line breaks, managed fields. */
export function checkHeaders(headers: Headers): Headers {
  if (headers.length > maxHeaders) refuse('There are too many headers')
  return headers.map(([name, value]) => {
    if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,200}$/.test(name)) refuse('A header has a name that cannot be sent')
    if (managed.has(name.toLowerCase())) refuse(`The header ${name} is set by the app and cannot be given`)
    const trimmed = value.trim()
    if (trimmed.length > maxHeaderLength) refuse(`The header ${name} is too long`)
    // Everything below space but tab, and DEL: a line break here would start a header or a request of its own.
    if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(trimmed))
      refuse(`The header ${name} has a line break in it`)
    return [name, trimmed]
  })
}

/**
 * The file name in a Content-Disposition field (RFC 6266, RFC 8187), read as leniently as hosts write it. Input
 * is the field as latin1, one char per byte. Never throws.
 */

/** The suggested name as text, not yet safe; null when there is none. */
export function dispositionName(field: string): string | null {
  const parameters = parametersOf(field.slice(0, 8192))
  const extended = parameters.get('filename*')
  const fromExtended = extended === undefined ? null : decodeExtended(extended)
  if (fromExtended !== null && fromExtended !== '') return fromExtended
  const plain = parameters.get('filename')
  return plain === undefined ? null : decodePlain(plain)
}

/** Parameters by lower-case name; of several the first counts. A missing disposition type is no harm. */
function parametersOf(field: string): Map<string, string> {
  const parameters = new Map<string, string>()
  for (let at = 0; at < field.length;) {
    const { name, value, next } = parameterAt(field, at)
    at = next
    if (name !== '' && value !== null && !parameters.has(name)) parameters.set(name, value)
  }
  return parameters
}

function parameterAt(field: string, at: number): { name: string; value: string | null; next: number } {
  const semicolon = endAt(field, ';', at)
  const equals = field.indexOf('=', at)
  if (equals < 0 || equals > semicolon)
    return { name: field.slice(at, semicolon), value: null, next: semicolon + 1 }
  const name = field.slice(at, equals).trim().toLowerCase()
  const valueAt = equals + 1 + (/^[ \t]*/.exec(field.slice(equals + 1))?.[0].length ?? 0)
  if (field[valueAt] !== '"')
    return { name, value: field.slice(valueAt, semicolon).trim(), next: semicolon + 1 }
  let value = ''
  let i = valueAt + 1
  for (; i < field.length && field[i] !== '"'; i++) {
    // Only `\"` and `\\` are escapes: hosts that put Windows paths here do not escape their separators.
    if (field[i] === '\\' && (field[i + 1] === '"' || field[i + 1] === '\\')) i += 1
    value += field[i] ?? ''
  }
  return { name, value, next: endAt(field, ';', i) + 1 }
}

function endAt(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from)
  return at < 0 ? text.length : at
}

/** `charset'language'percent-encoded` (RFC 8187). */
function decodeExtended(value: string): string | null {
  const match = /^([A-Za-z0-9!#$%&+^_`{}~-]+)'[^']*'(.*)$/s.exec(value)
  if (match?.[1] === undefined || match[2] === undefined) return null
  return decodeBytes(percentBytes(match[2]), match[1])
}

function decodePlain(value: string): string {
  const bytes = Buffer.from(value, 'latin1')
  const text = decodeBytes(bytes, 'utf-8') ?? value
  const words = decodeEncodedWords(text)
  if (words !== null) return words
  return decodePercent(text) ?? text
}

/** Percent-encoding in a plain name counts only when it yields UTF-8 beyond ASCII: `50%off` and `100%25` stay. */
function decodePercent(text: string): string | null {
  if (!/%[0-9a-f]{2}/i.test(text) || /%(?![0-9a-f]{2})/i.test(text)) return null
  const decoded = decodeBytes(percentBytes(Buffer.from(text, 'utf8').toString('latin1')), 'utf-8')
  return decoded !== null && /[^\0-\x7f]/.test(decoded) ? decoded : null
}

/** RFC 2047 encoded words, when the whole value consists of them. */
function decodeEncodedWords(text: string): string | null {
  if (!/^(?:\s*=\?[^?\s]+\?[bq]\?[^?]*\?=)+\s*$/i.test(text)) return null
  let decoded = ''
  for (const [, charset = '', encoding = '', payload = ''] of text.matchAll(
    /=\?([^?\s]+)\?([bq])\?([^?]*)\?=/gi,
  )) {
    const bytes =
      encoding.toLowerCase() === 'b'
        ? Buffer.from(payload, 'base64')
        : percentBytes(payload.replaceAll('_', ' ').replace(/=(?=[0-9a-f]{2})/gi, '%'))
    const part = decodeBytes(bytes, charset.replace(/\*.*$/, ''))
    if (part === null) return null
    decoded += part
  }
  return decoded
}

/** Escapes as bytes, everything else (latin1) as it is; malformed escapes stay text. */
export function percentBytes(text: string): Buffer {
  return Buffer.from(
    text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )
}

/** Bytes as text of a charset; null when they are not valid in it or it is unknown. */
export function decodeBytes(bytes: Buffer, charset: string): string | null {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

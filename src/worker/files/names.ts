/**
 * Safe file names. Whatever comes from outside (a header, a link, a title, the user) becomes a name here and
 * nowhere else: one path part, without tricks, legal on every system, at most 240 bytes.
 */
import { decodeBytes, dispositionName, percentBytes } from './content-disposition.ts'
import { extensionFor } from './media-types.ts'

/** Longest name in bytes of UTF-8: room for ` (1)` and for suffixes below the 255 of file systems. */
export const maxNameBytes = 240
/** The name when nothing usable was given. */
export const fallbackName = 'download'

/** The name a resource suggests for itself. `title` counts more than the link, less than the host's header. */
export function nameFor(source: {
  contentDisposition: string | null
  url: string
  contentType: string | null
  title?: string
}): string {
  const disposition = source.contentDisposition === null ? null : dispositionName(source.contentDisposition)
  const candidates = [
    disposition === null ? null : lastPathPart(disposition),
    source.title ?? null,
    nameInUrl(source.url),
  ]
  const usable = candidates.find((candidate) => candidate !== null && clean(candidate) !== '')
  const name = usable === undefined || usable === null ? fallbackName : clean(usable)
  const extension = hasExtension(name) ? null : extensionFor(source.contentType)
  return shorten(guard(extension === null ? name : `${name}.${extension}`))
}

/** Any text as a safe name; `fallback` (a safe name) when nothing of it is left. */
export function safeFileName(text: string, fallback = fallbackName): string {
  const name = clean(text)
  return shorten(guard(name === '' ? fallback : name))
}

/** The name with a number before its extension: `a (1).txt`. */
export function numberedName(name: string, number: number): string {
  const { stem, extension } = splitName(name)
  const suffix = ` (${number})${extension}`
  return cutBytes(stem, maxNameBytes - Buffer.byteLength(suffix)) + suffix
}

function lastPathPart(text: string): string {
  return text.split(/[\\/]/).at(-1) ?? ''
}

/** The last segment of the still encoded path, decoded once; separators that appear then are no separators. */
function nameInUrl(url: string): string | null {
  const path = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*([^?#]*)/i.exec(url)?.[1] ?? ''
  const segment = path.split('/').at(-1) ?? ''
  const bytes = percentBytes(Buffer.from(segment, 'utf8').toString('latin1'))
  return decodeBytes(bytes, 'utf-8') ?? bytes.toString('latin1')
}

// Controls (C0, DEL, C1), bidi marks and overrides, zero-width characters, line separators: each of them can
// make a name look like another one, or break what prints it.
const invisible =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g
const illegalSomewhere = /[<>:"/\\|?*]/g

/** Characters of a text that are looked at: far more than a name can keep. */
const longestInput = 4096

/** One legal path part, or '' when nothing of the text is left. */
function clean(text: string): string {
  const visible = text
    .slice(0, longestInput)
    .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '')
    .normalize('NFC')
    .replace(invisible, '')
    .replace(illegalSomewhere, '_')
    .replace(/\s+/g, ' ')
  // Leading dots would hide the file, trailing dots and spaces are dropped by Windows.
  const trimmed = visible.replace(/^[\s.]+/, '').replace(/[\s.]+$/, '')
  return /^[_~\s.]*$/.test(trimmed) ? '' : trimmed
}

/** Windows obeys such a file when its folder or drive is looked at, without a click. */
const obeyed = /^(?:desktop\.ini|autorun\.inf)$/i
const reserved = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|clock\$|conin\$|conout\$)$/i

/** Names that a system or a program would take for something else get a `_` in front. */
function guard(name: string): string {
  const stem = (name.split('.')[0] ?? '').trimEnd()
  const isTaken = reserved.test(stem) || obeyed.test(name)
  return isTaken || name.startsWith('-') || name.startsWith('~') ? `_${name}` : name
}

/** A short part without spaces after the last dot: titles are full of dots that begin no extension. */
export function splitName(name: string): { stem: string; extension: string } {
  const match = /^(.+?)((?:\.tar)?\.[\p{L}\p{N}_~+-]{1,10})$/su.exec(name)
  return match?.[1] === undefined || match[2] === undefined
    ? { stem: name, extension: '' }
    : { stem: match[1], extension: match[2] }
}

function hasExtension(name: string): boolean {
  return splitName(name).extension !== ''
}

function shorten(name: string): string {
  if (Buffer.byteLength(name) <= maxNameBytes) return name
  const { stem, extension } = splitName(name)
  return cutBytes(stem, maxNameBytes - Buffer.byteLength(extension)) + extension
}

/** The longest beginning of the text with at most `bytes` bytes, cut between code points. */
function cutBytes(text: string, bytes: number): string {
  let used = 0
  let kept = ''
  for (const char of text) {
    used += Buffer.byteLength(char)
    if (used > bytes) break
    kept += char
  }
  return kept.replace(/[\s.]+$/, '')
}

/**
 * The one validator of links: every entry (window, API, command line, redirects, playlists) goes through it, so
 * that a scheme which is refused here is refused everywhere.
 */
import { SluiceError } from './errors.ts'

/** The part of the URL standard used here: every host has it, though this folder is compiled without their types. */
declare const URL: new (
  link: string,
  base?: string,
) => {
  protocol: string
  hostname: string
  host: string
  username: string
  password: string
  hash: string
  href: string
}

/** Longest link that is taken, in characters. */
export const maxLinkLength = 8192

/** A link taken apart: credentials are moved out of what is stored and shown. */
export interface CheckedLink {
  /** absolute http(s) URL in normal form (punycode host), without user name and password */
  readonly url: string
  /** host in the form that is shown */
  readonly host: string
  /** decoded user name and password, null when the link had none */
  readonly credentials: { user: string; password: string } | null
}

function refuse(message: string): never {
  throw new SluiceError('INVALID_INPUT', message, {
    hint: 'Give a link that begins with http:// or https://.',
  })
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * Checks a link; `base` resolves relative ones (redirects, playlists). Throws `INVALID_INPUT` for anything but
 * http and https, for control characters within, for a missing host, and above the length limit.
 */
export function checkLink(link: string, base?: string): CheckedLink {
  const text = link.trim()
  if (text === '') refuse('The link is empty')
  if (text.length > maxLinkLength) refuse('The link is too long')
  // The URL parser would drop tabs and newlines in silence; a link with them is not what was meant.
  if (/[\u0000-\u001f\u007f]/.test(text)) refuse('The link has control characters in it')
  if (text.startsWith('\\')) refuse('This is a path, not a link')
  if (base === undefined && !/^[a-z][a-z0-9+.-]*:/i.test(text)) refuse('This is not a link')
  let parsed: InstanceType<typeof URL>
  try {
    parsed = new URL(text, base)
  } catch {
    refuse('This is not a link')
  }
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') {
    throw new SluiceError('UNSUPPORTED', `Links of the kind ${parsed.protocol} cannot be downloaded`, {
      hint: 'Give a link that begins with http:// or https://.',
    })
  }
  if (parsed.hostname === '') refuse('The link has no host')
  const credentials =
    parsed.username === '' && parsed.password === ''
      ? null
      : { user: decoded(parsed.username), password: decoded(parsed.password) }
  parsed.username = ''
  parsed.password = ''
  parsed.hash = ''
  return { url: parsed.href, host: parsed.host, credentials }
}

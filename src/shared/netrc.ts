/**
 * Reader of `.netrc` files as curl, wget and ftp know them: names and passwords by host. Pure: whoever has the user's
 * leave reads the file. Macros (`macdef`) are passed over.
 */
import { SluiceError } from './errors.ts'

/** Longest file that is taken, in characters. */
export const maxNetrcLength = 1024 * 1024

export interface NetrcCredentials {
  readonly user: string
  readonly password: string
}

/**
 * The credentials for a host (compared in lower case): its own first entry, else the `default` one before which no
 * entry names the host; null when the file has none, or none with a user name. Throws `INVALID_INPUT` for a text that
 * is too long.
 */
export function netrcCredentials(text: string, host: string): NetrcCredentials | null {
  if (text.length > maxNetrcLength) {
    throw new SluiceError('INVALID_INPUT', 'The netrc file is too large', {
      hint: 'Give the header or the user name in the link instead.',
    })
  }
  const wanted = host.toLowerCase()
  for (const entry of entriesOf(text)) {
    if (entry.host !== null && entry.host.toLowerCase() !== wanted) continue
    return entry.user === null ? null : { user: entry.user, password: entry.password ?? '' }
  }
  return null
}

interface Entry {
  /** null: the default for every host */
  host: string | null
  user: string | null
  password: string | null
}

type Keyword = 'machine' | 'login' | 'password' | 'account'

function isKeyword(word: string): word is Keyword {
  return word === 'machine' || word === 'login' || word === 'password' || word === 'account'
}

/** Words between white space; a word in quotes may hold it, with `\"` and `\\` for themselves. */
const words = /"((?:[^"\\]|\\.)*)"|(\S+)/g

function entriesOf(text: string): Entry[] {
  const entries: Entry[] = []
  let keyword: Keyword | null = null
  let inMacro = false
  for (const line of text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/)) {
    if (inMacro) {
      // A macro ends at an empty line.
      inMacro = line.trim() !== ''
      continue
    }
    for (const [, quoted, bare = ''] of line.matchAll(words)) {
      const word: string = quoted === undefined ? bare : quoted.replace(/\\(.)/g, '$1')
      if (keyword !== null) {
        // What follows a keyword is its value, whatever it looks like: passwords may begin with `#`.
        take(entries, keyword, word)
        keyword = null
        continue
      }
      inMacro = word === 'macdef'
      if (inMacro || word.startsWith('#')) break
      if (word === 'default') entries.push({ host: null, user: null, password: null })
      keyword = isKeyword(word) ? word : null
    }
  }
  return entries
}

function take(entries: Entry[], keyword: Keyword, value: string): void {
  const entry = entries.at(-1)
  if (keyword === 'machine') entries.push({ host: value, user: null, password: null })
  else if (keyword === 'login' && entry !== undefined) entry.user ??= value
  else if (keyword === 'password' && entry !== undefined) entry.password ??= value
}

/**
 * Digest access authentication (RFC 7616) with MD5 and SHA-256, their session forms, and `qop` auth or none. No
 * library gives it without a client of its own around it, and the rule is small. `auth-int` and SHA-512/256 are not
 * answered: a host that offers nothing else is told about as one whose sign-in is not supported.
 */

/** Loaded for those who sign in: it is a tenth of what a worker takes to start. */
const crypto = () => process.getBuiltinModule('node:crypto')

export interface Credentials {
  readonly user: string
  readonly password: string
}

export interface DigestChallenge {
  readonly realm: string
  readonly nonce: string
  readonly opaque: string | null
  readonly hash: 'md5' | 'sha256'
  /** the algorithm as the host wrote it, null when it did not */
  readonly algorithm: string | null
  readonly session: boolean
  readonly qop: 'auth' | null
  /** the nonce before was refused for its age only */
  readonly stale: boolean
  readonly userhash: boolean
}

/** One challenge of a `WWW-Authenticate` field: a scheme and its parameters, names in lower case. */
export interface Challenge {
  readonly scheme: string
  readonly parameters: ReadonlyMap<string, string>
}

const separators = /[\s,]*/y
const parameter = /([!#$%&'*+\-.^_`|~0-9A-Za-z]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*))/y
const schemeName = /([!#$%&'*+\-.^_`|~0-9A-Za-z]+)(?=[\s,]|$)/y

/** All challenges of the fields, in order (RFC 9110 section 11.6.1). What cannot be read ends a field. Never throws. */
export function parseChallenges(fields: readonly string[]): Challenge[] {
  const challenges: { scheme: string; parameters: Map<string, string> }[] = []
  for (const field of fields) {
    let at = 0
    const match = (pattern: RegExp) => {
      pattern.lastIndex = at
      const found = pattern.exec(field)
      if (found !== null) at = pattern.lastIndex
      return found
    }
    while (at < field.length) {
      match(separators)
      const pair = match(parameter)
      if (pair !== null) {
        const [, name = '', quoted, bare = ''] = pair
        const { parameters } = challenges.at(-1) ?? {}
        const key = name.toLowerCase()
        if (parameters?.has(key) === false)
          parameters.set(key, quoted === undefined ? bare : quoted.replace(/\\(.)/g, '$1'))
        continue
      }
      const scheme = match(schemeName)
      if (scheme === null) break
      challenges.push({ scheme: (scheme[1] ?? '').toLowerCase(), parameters: new Map() })
    }
  }
  return challenges
}

/** The strongest digest challenge that can be answered, null when there is none. */
export function digestChallenge(challenges: readonly Challenge[]): DigestChallenge | null {
  const usable = challenges.map(readDigest).filter((challenge) => challenge !== null)
  return usable.find(({ hash }) => hash === 'sha256') ?? usable[0] ?? null
}

function readDigest({ scheme, parameters }: Challenge): DigestChallenge | null {
  const [realm, nonce] = [parameters.get('realm'), parameters.get('nonce')]
  if (scheme !== 'digest' || realm === undefined || nonce === undefined || nonce === '') return null
  const algorithm = parameters.get('algorithm') ?? null
  const kind = /^(md5|sha-256)(-sess)?$/i.exec(algorithm ?? 'MD5')
  if (kind === null) return null
  const offered = parameters.get('qop')?.split(',')
  const canAuth = offered?.some((qop) => qop.trim().toLowerCase() === 'auth')
  if (canAuth === false) return null
  const isTrue = (name: string) => parameters.get(name)?.toLowerCase() === 'true'
  return {
    realm,
    nonce,
    opaque: parameters.get('opaque') ?? null,
    hash: kind[1]?.toLowerCase() === 'md5' ? 'md5' : 'sha256',
    algorithm,
    session: kind[2] !== undefined,
    qop: canAuth === true ? 'auth' : null,
    stale: isTrue('stale'),
    userhash: isTrue('userhash'),
  }
}

/**
 * Value of `Authorization` as latin1, in answer to a challenge. `target`: path and query as sent; `count`: requests
 * made with this nonce, this one included.
 */
export function digestAuthorization(
  challenge: DigestChallenge,
  credentials: Credentials,
  request: { method: string; target: string; count: number; clientNonce: string },
): string {
  const { realm, nonce, opaque, qop } = challenge
  const { method, target, clientNonce } = request
  const { createHash } = crypto()
  const hash = (text: string) => createHash(challenge.hash).update(latin1ToBytes(text)).digest('hex')
  const [user, password] = [utf8(credentials.user), utf8(credentials.password)]
  const secret = hash(`${user}:${realm}:${password}`)
  const key = challenge.session ? hash(`${secret}:${nonce}:${clientNonce}`) : secret
  const what = hash(`${method}:${target}`)
  const count = request.count.toString(16).padStart(8, '0')
  const proof = qop === null ? nonce : `${nonce}:${count}:${clientNonce}:${qop}`
  const parts = [
    `username=${quoted(challenge.userhash ? hash(`${user}:${realm}`) : user)}`,
    `realm=${quoted(realm)}`,
    `nonce=${quoted(nonce)}`,
    `uri=${quoted(target)}`,
    `response="${hash(`${key}:${proof}:${what}`)}"`,
    ...(challenge.algorithm === null ? [] : [`algorithm=${challenge.algorithm}`]),
    ...(opaque === null ? [] : [`opaque=${quoted(opaque)}`]),
    ...(qop === null && !challenge.session ? [] : [`cnonce="${clientNonce}"`]),
    ...(qop === null ? [] : [`qop=${qop}`, `nc=${count}`]),
    ...(challenge.userhash ? ['userhash=true'] : []),
  ]
  return `Digest ${parts.join(', ')}`
}

/** Text as the latin1 string of its UTF-8 bytes: what is compared and sent are bytes. */
function utf8(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

function latin1ToBytes(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

/** Answers the challenges of one origin, from request to request. */
export class DigestAuth {
  readonly #credentials: Credentials
  readonly #clientNonce: string
  #challenge: DigestChallenge | null = null
  #count = 0

  constructor(credentials: Credentials, clientNonce = crypto().randomBytes(16).toString('hex')) {
    this.#credentials = credentials
    this.#clientNonce = clientNonce
  }

  /**
   * Takes the challenges of a refused answer. True when asking again may help: this is the first refusal for the
   * request, or only the nonce was too old.
   */
  challenged(challenges: readonly Challenge[], isFirst: boolean): boolean {
    const challenge = digestChallenge(challenges)
    if (challenge === null || (!isFirst && !challenge.stale)) return false
    // Several connections may be refused at once with one nonce: none of its counts is used twice.
    if (challenge.nonce !== this.#challenge?.nonce) this.#count = 0
    this.#challenge = challenge
    return true
  }

  /** Value of `Authorization` for the next request, null while no host has asked for a digest. */
  authorizationFor(target: string): string | null {
    if (this.#challenge === null) return null
    this.#count += 1
    return digestAuthorization(this.#challenge, this.#credentials, {
      method: 'GET',
      target,
      count: this.#count,
      clientNonce: this.#clientNonce,
    })
  }
}

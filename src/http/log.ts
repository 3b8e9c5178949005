/** Plain lines of log on standard error, one per event; what may hold a secret is taken out before it is written. */
import type { FastifyBaseLogger } from 'fastify'
import pino from 'pino'

export type Log = FastifyBaseLogger

const secretFields = [
  'secret',
  'password',
  'token',
  'cookie',
  'authorization',
  'headers',
  'rawHeaders',
  'req',
  'res',
  'link',
  'url',
]

/** `write` takes whole lines. */
export function createLog(write: (line: string) => void, level: pino.Level = 'info'): Log {
  return pino(
    {
      level,
      base: null,
      redact: { paths: secretFields.flatMap((field) => [field, `*.${field}`]), censor: '•••' },
      serializers: { err: pino.stdSerializers.err },
    },
    { write: (json: string) => write(plainLine(json)) },
  )
}

/** `2026-01-31T12:00:00.000Z info  what happened  key=value` */
function plainLine(json: string): string {
  const { level, time, msg, ...fields } = JSON.parse(json) as Record<string, unknown>
  const when = new Date(typeof time === 'number' ? time : Date.now()).toISOString()
  const how = typeof level === 'number' ? (pino.levels.labels[level] ?? '') : ''
  const facts = Object.entries(fields).map(([key, value]) => `${key}=${JSON.stringify(value)}`)
  return [when, how.padEnd(5), typeof msg === 'string' ? msg : '', ...facts].join(' ') + '\n'
}

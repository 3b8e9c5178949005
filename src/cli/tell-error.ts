import type { ErrorRecord } from '../shared/errors.ts'
import { SluiceError } from '../shared/errors.ts'
import { plainText } from './terminal-text.ts'

/**
 * One line on standard error: what it is about, what happened, its code, and the next step.
 * @param about file or link; empty for the command as a whole
 * @param more a further sentence
 */
export function tellError(error: ErrorRecord, about = '', more = ''): void {
  const sentences = [`${about === '' ? '' : `${about}: `}${error.message} (${error.code}).`, error.hint, more]
  const line = sentences.filter((sentence) => sentence !== '').join(' ')
  process.stderr.write(`sluice: ${plainText(line)}\n`)
}

/** Tells faults of our own, one that comes again and again once: a list whose drive is full is tried every second. */
export function faultTeller(): (error: unknown) => void {
  let last = ''
  return (error) => {
    const what = String(error instanceof Error && !(error instanceof SluiceError) ? error.stack : error)
    if (what === last) return
    last = what
    if (error instanceof SluiceError) tellError(error.toRecord())
    else process.stderr.write(`sluice: a fault inside the app: ${what}\n`)
  }
}

import type { ErrorRecord } from '../shared/errors.ts'
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

/**
 * For `serve --debug-api`: every error that becomes a record is written to standard error first, with its stack and
 * its causes, which a record leaves behind. The host keeps what a worker writes by attempt and masks secrets in it.
 */
import { inspect } from 'node:util'
import { SluiceError } from '../shared/errors.ts'

export function traceErrors(): void {
  // the one place that all errors pass on their way out of this process; it is called with its `this` below
  const toRecord = Reflect.get(SluiceError.prototype, 'toRecord')
  SluiceError.prototype.toRecord = function (this: SluiceError) {
    process.stderr.write(`${inspect(this, { depth: 4 })}\n`)
    return toRecord.call(this)
  }
}

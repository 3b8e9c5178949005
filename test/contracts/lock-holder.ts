/** A process that takes the lock of a data folder, says how that went, and holds it until it is killed. */
import { lockDataFolder } from '../../src/adapters/data-folder.ts'
import { SluiceError } from '../../src/shared/errors.ts'

try {
  lockDataFolder(process.argv[2] ?? '')
  process.send?.('locked')
} catch (error) {
  process.send?.(error instanceof SluiceError ? error.code : String(error))
}
process.on('disconnect', () => process.exit(0))

/** A process that takes the lock of a data folder and holds it until it is killed. */
import { lockDataFolder } from '../../src/adapters/data-folder.ts'

lockDataFolder(process.argv[2] ?? '')
process.send?.('locked')
process.on('disconnect', () => process.exit(0))

/** The command line's process. */
import { runProgram } from './program.ts'

// whoever reads our output may stop reading (`sluice … | head`): that is no reason to stop downloading
process.stdout.on('error', () => null)
process.stderr.on('error', () => null)

process.exitCode = await runProgram(process.argv.slice(2))

/** The command line's process. */
import { dismissFirstWorker, startFirstWorker } from './first-worker.ts'

// whoever reads our output may stop reading (`sluice … | head`): that is no reason to stop downloading
process.stdout.on('error', () => null)
process.stderr.on('error', () => null)

const args = process.argv.slice(2)
if (args[0] === 'get' && !args.includes('--help')) startFirstWorker()
void run()

async function run(): Promise<void> {
  const { runProgram } = await import('./program.ts')
  process.exitCode = await runProgram(args)
  await dismissFirstWorker()
}

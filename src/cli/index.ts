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
  const code = await runProgram(args)
  await dismissFirstWorker()
  await Promise.all([written(process.stdout), written(process.stderr)])
  // without an end of the loop, which takes the heap apart for nobody: that is a tenth of a short download
  process.exit(code)
}

/** Resolves when everything that was written has been taken, or nobody takes it any more. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()))
}

/** The commands and options of `sluice`, and the manual that `--help` prints. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Command, CommanderError } from 'commander'
import { entryPoint } from '../adapters/entry-point.ts'
import { SluiceError, toErrorRecord } from '../shared/errors.ts'
import type { RawGetOptions } from './get-options.ts'
import { readGetRequest } from './get-options.ts'
import { exitCodes, runGet, tellError } from './get-command.ts'
import { version } from './version.ts'

const getManual = `
The result of a command is all or nothing per file: a file appears under its
name when it is whole, verified and on the disk, and never before. What is
interrupted (Ctrl+C, a crash, a power cut, a full disk) is kept beside the
destination; the same command goes on and fetches only what is missing.

Exit codes:
  0    every file is whole
  1    some are not; standard error says which, why, and what to do
  2    bad usage; nothing was touched
  130  interrupted; the same command goes on

Examples:
  sluice get https://example.org/image.iso
  sluice get -d ~/Videos --video https://…/v.mp4 --audio https://…/a.m4a -o talk.mp4
  sluice get -j 4 -i links.txt
`

function collect(value: string, before: string[]): string[] {
  return [...before, value]
}

function addGet(program: Command, finish: (code: number) => void): void {
  program
    .command('get')
    .summary('download links, or a video and an audio link joined into one file')
    .description('Downloads links to the current folder and ends when every file is whole.')
    .argument('[links...]', 'http or https links')
    .option('--video <link>', 'link of the picture; needs --audio')
    .option('--audio <link>', 'link of the sound; needs --video')
    .option('-d, --dir <folder>', 'folder to save to (default: the current one)')
    .option('-o, --output <name>', 'name of the file')
    .option('-x, --connections <number>', 'connections per file, 1 to 16 (default: 8)')
    .option('-j, --jobs <number>', 'files at once, 1 to 20 (default: 3)')
    .option('-i, --input-file <file>', 'text file with one link per line; - is standard input')
    .option('--header <line>', 'header to send, as "Name: value"; repeatable', collect, [])
    .option('--limit <speed>', 'most bytes per second and file, such as 500k or 2M')
    .option('--proxy <link>', 'http, https or socks5 proxy')
    .option('--checksum <algorithm:hex>', 'refuse the file unless it has this checksum')
    .option('--direct', 'take a web page as a file')
    .option('--json', 'one JSON object per line for every change')
    .option('-q, --quiet', 'say nothing but errors')
    .addHelpText('after', getManual)
    .action(async (links: string[], raw: RawGetOptions) => {
      const request = readGetRequest(links, raw, process.stdout.isTTY && process.env['TERM'] !== 'dumb')
      finish(await runGet(request))
    })
}

/** The server is another program of the build: the command line only starts it and takes its end. */
function addServe(program: Command, finish: (code: number) => void): void {
  program
    .command('serve')
    .summary('run the headless server with the window in a browser and an API')
    .description('Runs the headless server. Its own options: sluice serve -- --help')
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .argument('[options...]', 'options of the server')
    .action(async (options: string[]) => {
      const server = spawn(process.execPath, [entryPoint('server'), ...options], { stdio: 'inherit' })
      // the terminal interrupts both; the server decides when it has stopped
      process.on('SIGINT', () => null)
      process.on('SIGTERM', () => server.kill('SIGTERM'))
      const [code] = (await once(server, 'exit')) as [number | null]
      finish(code ?? exitCodes.notWhole)
    })
}

function createProgram(finish: (code: number) => void): Command {
  const program = new Command('sluice')
    .description('Sluice downloads files, and joins separate video and audio, without losing a byte.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this manual; "sluice get --help" for a command')
    .exitOverride()
    .configureOutput({ writeErr: () => null })
  addGet(program, finish)
  addServe(program, finish)
  for (const command of program.commands) command.exitOverride().configureOutput({ writeErr: () => null })
  return program
}

/** Runs the command line; the answer is the exit code. Never rejects. */
export async function runProgram(args: readonly string[]): Promise<number> {
  let code: number = exitCodes.whole
  const program = createProgram((end) => (code = end))
  try {
    if (args.length === 0) program.outputHelp()
    else await program.parseAsync(args, { from: 'user' })
    return code
  } catch (error) {
    return codeOfFailure(error)
  }
}

function codeOfFailure(error: unknown): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return exitCodes.whole
    const message = error.message.replace(/^error: /, '').replace(/\.$/, '')
    tellError(new SluiceError('INVALID_INPUT', message, { hint: 'See "sluice --help".' }).toRecord())
    return exitCodes.usage
  }
  if (!(error instanceof SluiceError))
    process.stderr.write(`${String(error instanceof Error ? error.stack : error)}\n`)
  tellError(toErrorRecord(error))
  const isUsage = error instanceof SluiceError && ['INVALID_INPUT', 'UNSUPPORTED'].includes(error.code)
  return isUsage ? exitCodes.usage : exitCodes.notWhole
}

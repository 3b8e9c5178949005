/** The commands and options of `sluice`, and the manual that `--help` prints. */
import { Command, CommanderError } from 'commander'
import { SluiceError, toErrorRecord } from '../shared/errors.ts'
import { exitCodes } from './exit-codes.ts'
import { runGet } from './get-command.ts'
import type { RawGetOptions } from './get-options.ts'
import { readGetRequest } from './get-options.ts'
import { runServe } from './serve-command.ts'
import { tellError } from './tell-error.ts'
import { version } from './version.ts'

const programManual = `
Examples:
  sluice get https://example.org/image.iso
      downloads to the current folder, over several connections
  sluice get --video https://example.org/v.mp4 --audio https://example.org/a.m4a -o talk.mp4
      downloads both and joins them into one file, with or without FFmpeg
  sluice get -d ~/Downloads -j 4 -i links.txt
      downloads a list, four files at a time
  sluice serve --open
      the list with its window in a browser, and an API for other programs

"sluice get --help" and "sluice serve --help" say more.
`

const getManual = `
What you get:
  A file appears under its name when it is whole, checked and on the disk, and
  never before. A name that is taken is left alone: the new file becomes
  "name (1)". A web page in place of a file is refused, unless --direct asks
  for it.

Interruptions:
  Ctrl+C, a crash, a power cut, a full disk: what arrived is kept in hidden
  folders (.sluice-…) beside the destination, and the same command goes on and
  fetches only what is missing. They are gone when all is whole.

Output:
  Progress bars on a terminal, plain lines elsewhere (no colours when NO_COLOR
  is set). --json writes one object per line: {"type":"task","task":{…}} for
  every change. Errors go to standard error, one line each, with a code and the
  next step.

Environment:
  http_proxy, https_proxy, all_proxy, no_proxy; --proxy takes precedence

Exit codes:
  0    every file is whole
  1    some are not; standard error says which, why, and what to do
  2    bad usage; nothing was touched
  130  interrupted; the same command goes on

Examples:
  sluice get https://example.org/image.iso --checksum sha256:9f86d0…
  sluice get --header "Authorization: Bearer …" https://example.org/n
  sluice get --limit 2M -x 4 -j 1 -i links.txt
  some-program | sluice get -i -
`

function collect(value: string, before: string[] = []): string[] {
  return [...before, value]
}

function addGet(program: Command, finish: (code: number) => void): void {
  program
    .command('get')
    .summary('download links, or a video and an audio link as one file')
    .description('Downloads links and ends when every file is whole.')
    .argument('[links...]', 'http and https links')
    .option('--video <link>', 'link of the picture; goes with --audio')
    .option('--audio <link>', 'link of the sound; goes with --video')
    .option('-i, --input-file <file>', 'text file with one link per line; - is standard input')
    .option('-d, --dir <folder>', 'folder to save to, made when it is missing (default: the current one)')
    .option('-o, --output <name>', 'name of the file (default: what the host calls it)')
    .option('-x, --connections <number>', 'connections per file, 1 to 16 (default: 8)')
    .option('-j, --jobs <number>', 'files at once, 1 to 20 (default: 3)')
    .option('--limit <speed>', 'most bytes per second over all files, such as 500k or 2M')
    .option('--header <line>', 'header to send, as "Name: value"; may be repeated', collect)
    .option('--proxy <address>', 'proxy, such as http://host:3128 or socks5://host:1080')
    .option(
      '--checksum <sum>',
      'what the file must have, as algorithm:hex (md5, sha1, sha256, sha384, sha512)',
    )
    .option('--direct', 'take a web page as a file')
    .option('--json', 'write one JSON object per line for every change')
    .option('-q, --quiet', 'write nothing but errors')
    .addHelpText('after', getManual)
    .action(async (links: string[], raw: RawGetOptions) => {
      const isTerminal = process.stdout.isTTY && process.env['TERM'] !== 'dumb'
      finish(await runGet(readGetRequest(links, raw, isTerminal)))
    })
}

function addServe(program: Command, finish: (code: number) => void): void {
  program
    .command('serve')
    .summary('run without a window of its own: a browser shows it, programs drive it')
    .argument('[options...]', 'options of the server, see "sluice serve --help"')
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .action(async (options: string[]) => finish(await runServe(options)))
}

function createProgram(finish: (code: number) => void): Command {
  const program = new Command('sluice')
    .description('Sluice downloads files, and joins separate video and audio, without losing a byte.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this manual')
    .helpCommand(false)
    .enablePositionalOptions()
    .addHelpText('after', programManual)
  addGet(program, finish)
  addServe(program, finish)
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({ writeErr: () => null })
  }
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
    // the manual or the version was asked for
    if (error.exitCode === 0) return exitCodes.whole
    const message = error.message
      .replace(/^error: /, '')
      .replace(/\.$/, '')
      .replaceAll('\n', ' ')
    tellError(new SluiceError('INVALID_INPUT', message, { hint: 'See "sluice --help".' }).toRecord())
    return exitCodes.usage
  }
  if (!(error instanceof SluiceError)) {
    process.stderr.write(`${String(error instanceof Error ? error.stack : error)}\n`)
  }
  tellError(toErrorRecord(error))
  const isUsage = error instanceof SluiceError && ['INVALID_INPUT', 'UNSUPPORTED'].includes(error.code)
  return isUsage ? exitCodes.usage : exitCodes.notWhole
}

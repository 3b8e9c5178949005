/** The command line, put together; and what becomes of its ends. */
import { Command, CommanderError, Help } from 'commander'
import { SluiceError, toErrorRecord } from '../shared/errors.ts'
import { NoRunningHost } from './client/running-host.ts'
import { addDownloadOptions } from './declare-options.ts'
import { exitCodes } from './exit-codes.ts'
import type { Finish } from './exit-codes.ts'
import { runGet } from './get-command.ts'
import type { RawGetOptions } from './get-options.ts'
import { readGetRequest } from './get-options.ts'
import { getManual, manual, programManual } from './manuals.ts'
import { tellError } from './tell-error.ts'
import { version } from './version.ts'
import { wrapManual } from './wrap-manual.ts'

function addGet(program: Command, finish: Finish): void {
  const get = program
    .command('get')
    .summary('download links, or a video and an audio link as one file')
    .description('Download links and end when every file is whole.')
  addDownloadOptions(get)
    .option('-j, --jobs <number>', 'files at once, 1 to 20 (default: 3)')
    .option('--limit <speed>', 'most bytes per second over all files, such as 500k or 2M')
    .option('--ca-certificate <file>', 'authorities to trust beside the known ones, as a PEM file')
    .option('--json', 'write one JSON object per line for every change')
    .option('-q, --quiet', 'write nothing but errors')
    .addHelpText('after', manual(getManual))
    .action(async (links: string[], raw: RawGetOptions) => {
      const isTerminal = process.stdout.isTTY && process.env['TERM'] !== 'dumb'
      finish(await runGet(readGetRequest(links, raw, isTerminal)))
    })
}

/** From this width on, terms and what they mean stand side by side. */
const wideFrom = 60

/** On narrow terminals what a term means stands below it: beside it, commander would not wrap it. */
const formatItem: Help['formatItem'] = (term, termWidth, description, helper) =>
  (helper.helpWidth ?? 80) < wideFrom
    ? wrapManual(`  ${term}\n      ${description}`, helper.helpWidth ?? 80)
    : Help.prototype.formatItem.call(helper, term, termWidth, description, helper)

/** The words that it may be are for completion: of settings there are many, and the command shows them. */
const argumentDescription: Help['argumentDescription'] = ({ description }) => description

/** `get` alone where that is the command: a download's start counts, and the others are most of the program. */
async function createProgram(args: readonly string[], finish: Finish): Promise<Command> {
  const program = new Command('sluice')
    .description('Sluice downloads files, and joins separate video and audio, without losing a byte.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this manual')
    .helpCommand(false)
    .enablePositionalOptions()
    // what a command takes is in its own manual
    .configureHelp({ subcommandTerm: (command) => command.name(), argumentDescription, formatItem })
    .addHelpText('after', manual(programManual))
  program.commandsGroup('Download and end:')
  addGet(program, finish)
  if (args[0] !== 'get') {
    const { addOtherCommands } = await import('./other-commands.ts')
    addOtherCommands(program, args, finish)
  }
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({ writeErr: () => null })
  }
  return program
}

/** Runs the command line; the answer is the exit code. Never rejects. */
export async function runProgram(args: readonly string[]): Promise<number> {
  let code: number = exitCodes.whole
  const program = await createProgram(args, (end) => (code = end))
  try {
    if (args.length === 0) program.outputHelp()
    else await program.parseAsync(args, { from: 'user' })
    return code
  } catch (error) {
    return codeOfFailure(error, helpFor(program, args[0]))
  }
}

function helpFor(program: Command, given: string | undefined): string {
  const known = program.commands.some((command) => command.name() === given)
  return known ? `See "sluice ${given ?? ''} --help".` : 'See "sluice --help".'
}

function codeOfFailure(error: unknown, hint: string): number {
  if (error instanceof CommanderError) {
    // the manual or the version was asked for
    if (error.exitCode === 0) return exitCodes.whole
    const message = error.message
      .replace(/^error: /, '')
      .replace(/\.$/, '')
      .replaceAll('\n', ' ')
    tellError(new SluiceError('INVALID_INPUT', message, { hint }).toRecord())
    return exitCodes.usage
  }
  if (!(error instanceof SluiceError)) {
    process.stderr.write(`${String(error instanceof Error ? error.stack : error)}\n`)
  }
  tellError(toErrorRecord(error))
  if (error instanceof NoRunningHost) return exitCodes.noHost
  const isUsage = error instanceof SluiceError && ['INVALID_INPUT', 'UNSUPPORTED'].includes(error.code)
  return isUsage ? exitCodes.usage : exitCodes.notWhole
}

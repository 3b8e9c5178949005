/** The commands of `sluice`, put together; and what becomes of their ends. */
import { Command, CommanderError, Help, Option } from 'commander'
import { SluiceError, toErrorRecord } from '../shared/errors.ts'
import { serveDescription, serveManual, serveOptionFacts } from '../shared/serve-options.ts'
import type { ServeOptionFacts } from '../shared/serve-options.ts'
import { addClientCommands } from './client/client-commands.ts'
import { NoRunningHost } from './client/running-host.ts'
import { completionScript, shells } from './completion/completion-script.ts'
import type { Shell } from './completion/completion-script.ts'
import { addDownloadOptions, collect } from './declare-options.ts'
import { exitCodes } from './exit-codes.ts'
import { runGet } from './get-command.ts'
import type { RawGetOptions } from './get-options.ts'
import { readGetRequest } from './get-options.ts'
import { completionManual, getManual, manual, programManual, secretManual } from './manuals.ts'
import { runSecret } from './secret-command.ts'
import type { SecretOptions } from './secret-command.ts'
import { runServe } from './serve-command.ts'
import { tellError } from './tell-error.ts'
import { version } from './version.ts'
import { wrapManual } from './wrap-manual.ts'

/** Takes the exit code of the command that was carried out. */
export type Finish = (code: number) => void

function addGet(program: Command, finish: Finish): void {
  const get = program
    .command('get')
    .summary('download links, or a video and an audio link as one file')
    .description('Download links and end when every file is whole.')
  addDownloadOptions(get)
    .option('-j, --jobs <number>', 'files at once, 1 to 20 (default: 3)')
    .option('--limit <speed>', 'most bytes per second over all files, such as 500k or 2M')
    .option('--json', 'write one JSON object per line for every change')
    .option('-q, --quiet', 'write nothing but errors')
    .addHelpText('after', manual(getManual))
    .action(async (links: string[], raw: RawGetOptions) => {
      const isTerminal = process.stdout.isTTY && process.env['TERM'] !== 'dumb'
      finish(await runGet(readGetRequest(links, raw, isTerminal)))
    })
}

/** Its options are looked at here, so that a typing error costs no start, and then given to the server as they are. */
function addServe(program: Command, args: readonly string[], finish: Finish): void {
  const serve = program
    .command('serve')
    .summary('run without a window of its own: a browser shows it, programs drive it')
    .description(serveDescription)
    .addHelpText('after', manual(serveManual))
    .action(async () => finish(await runServe(args.slice(args.indexOf('serve') + 1))))
  const all: readonly ServeOptionFacts[] = Object.values(serveOptionFacts)
  for (const { flags, description, isRepeatable } of all) {
    const option = new Option(flags, description)
    serve.addOption(isRepeatable === true ? option.argParser(collect) : option)
  }
}

function addSecret(program: Command, finish: Finish): void {
  program
    .command('secret')
    .summary('show or replace the secret that clients give')
    .description('Show the secret of the host.')
    .option('--rotate', 'replace it by a new one, and show that')
    .option('--link', 'show the link that opens the window instead, with the secret in it')
    .option('--data-dir <folder>', 'data folder of the host')
    .addHelpText('after', manual(secretManual))
    .action(async (options: SecretOptions) => finish(await runSecret(options)))
}

function addCompletion(program: Command): void {
  program
    .command('completion')
    .summary('print what makes a shell complete commands and options')
    .description('Print the completions of a shell.')
    .addArgument(program.createArgument('<shell>', 'bash, zsh or fish').choices(shells))
    .addHelpText('after', manual(completionManual))
    .action((shell: Shell) => {
      process.stdout.write(completionScript(shell, program))
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

function createProgram(args: readonly string[], finish: Finish): Command {
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
  program.commandsGroup('Run a host:')
  addServe(program, args, finish)
  addSecret(program, finish)
  program.commandsGroup('Talk to the host that runs:')
  addClientCommands(program, finish)
  program.commandsGroup('Set up:')
  addCompletion(program)
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({ writeErr: () => null })
  }
  return program
}

/** Runs the command line; the answer is the exit code. Never rejects. */
export async function runProgram(args: readonly string[]): Promise<number> {
  let code: number = exitCodes.whole
  const program = createProgram(args, (end) => (code = end))
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

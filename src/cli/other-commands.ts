/** The commands of `sluice` but `get`. */
import { Option } from 'commander'
import type { Command } from 'commander'
import { serveDescription, serveManual, serveOptionFacts } from '../shared/serve-options.ts'
import type { ServeOptionFacts } from '../shared/serve-options.ts'
import { addClientCommands } from './client/client-commands.ts'
import { completionScript, shells } from './completion/completion-script.ts'
import type { Shell } from './completion/completion-script.ts'
import { collect } from './declare-options.ts'
import type { Finish } from './exit-codes.ts'
import { completionManual, manual, secretManual } from './manuals.ts'
import { runSecret } from './secret-command.ts'
import type { SecretOptions } from './secret-command.ts'
import { runServe } from './serve-command.ts'

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

/** `args`: what was typed, the name of the command first. */
export function addOtherCommands(program: Command, args: readonly string[], finish: Finish): void {
  program.commandsGroup('Run a host:')
  addServe(program, args, finish)
  addSecret(program, finish)
  program.commandsGroup('Talk to the host that runs:')
  addClientCommands(program, finish)
  program.commandsGroup('Set up:')
  addCompletion(program)
}

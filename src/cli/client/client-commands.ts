/** The commands that talk to a running host, as the manual says them. */
import { InvalidArgumentError, Option } from 'commander'
import type { Command } from 'commander'
import { addDownloadOptions, addHostOptions, collect } from '../declare-options.ts'
import type { Finish } from '../exit-codes.ts'
import { addManual, hostManual, idsManual, manual, settingsManual } from '../manuals.ts'
import type { RawAddOptions } from './add-command.ts'
import { runAdd } from './add-command.ts'
import type { ClientOptions } from './client.ts'
import type { HistoryOptions, ListOptions } from './list-command.ts'
import { runHistory, runList, runShow, runStatus, sortFields, stateFilters } from './list-command.ts'
import type { Operation, OperateOptions } from './operate-command.ts'
import { operations, runClearFinished, runOperation } from './operate-command.ts'
import { runSettings, settingKeys } from './settings-command.ts'

export function addClientCommands(program: Command, finish: Finish): void {
  addAdd(program, finish)
  addLooks(program, finish)
  addOperation(program, finish, 'pause', operations.pause, 'pause downloads; what arrived is kept').option(
    '--all',
    'all that run or wait',
  )
  addOperation(
    program,
    finish,
    'resume',
    operations.resume,
    'go on with paused downloads, and begin failed ones again',
  ).option('--all', 'all that are paused')
  addOperation(
    program,
    finish,
    'cancel',
    operations.cancel,
    'cancel downloads and discard what arrived of them',
  ).option('--all', 'all that have not ended')
  addRemove(program, finish)
  addOperation(
    program,
    finish,
    'retry',
    operations.retry,
    'queue downloads that ended again, as new ones',
  ).option('--all', 'all that failed')
  addOperation(
    program,
    finish,
    'redownload',
    operations.redownload,
    'delete what there is of downloads and fetch all of it anew',
  )
  addOperation(program, finish, 'move', operations.move, 'move waiting downloads in the queue')
    .option('--front', 'to the front: they are next')
    .option('--back', 'to the end')
    .option('--before <id>', 'before this waiting one')
  addHistory(program, finish)
  addSettings(program, finish)
}

/** First letter up, a full stop behind: the sentence at the head of a command's own manual. */
const sentence = (summary: string): string => `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`

function command(program: Command, name: string, summary: string): Command {
  return addHostOptions(program.command(name).summary(summary).description(sentence(summary)))
}

function addAdd(program: Command, finish: Finish): void {
  addDownloadOptions(command(program, 'add', 'put links into the list of the host'))
    .option('--limit <speed>', 'most bytes per second of each, such as 500k or 2M')
    .option('--paused', 'add them paused')
    .option('--front', 'add them at the front of the queue')
    .addHelpText('after', manual(addManual))
    .action(async (links: string[], raw: RawAddOptions) => finish(await runAdd(links, raw)))
}

function addLooks(program: Command, finish: Finish): void {
  command(program, 'list', 'show the list')
    .addOption(new Option('--state <state>', 'only those in this state').choices(stateFilters))
    .option('--search <text>', 'only those whose name or link has this')
    .addOption(new Option('--sort <field>', 'order (default: queue)').choices(sortFields))
    .option('--reverse', 'the other way round')
    .option('--limit <number>', 'how many at most', wholeNumber)
    .addHelpText('after', manual(hostManual))
    .action(async (options: ListOptions) => finish(await runList(options)))
  command(program, 'show', 'show all there is to know about downloads')
    .argument('<ids...>', 'ids, as "sluice list" shows them')
    .addHelpText('after', manual(idsManual))
    .action(async (ids: string[], options: ClientOptions) => finish(await runShow(ids, options)))
  command(program, 'status', 'show which host runs, where, and how busy it is')
    .addHelpText('after', manual(hostManual))
    .action(async (options: ClientOptions) => finish(await runStatus(options)))
}

function addOperation(
  program: Command,
  finish: Finish,
  name: string,
  operation: Operation,
  summary: string,
): Command {
  return command(program, name, summary)
    .argument('[ids...]', 'ids, as "sluice list" shows them')
    .addHelpText('after', manual(idsManual))
    .action(async (ids: string[], options: OperateOptions) =>
      finish(await runOperation(operation, ids, options)),
    )
}

function addRemove(program: Command, finish: Finish): void {
  command(program, 'remove', 'remove downloads from the list; those that run are stopped')
    .argument('[ids...]', 'ids, as "sluice list" shows them')
    .addOption(new Option('--finished', 'all that have ended; their files stay').conflicts('deleteFiles'))
    .option('--delete-files', 'delete their files too')
    .addHelpText('after', manual(idsManual))
    .action(async (ids: string[], options: OperateOptions & { finished?: boolean }) => {
      const isAll = options.finished === true && ids.length === 0
      finish(await (isAll ? runClearFinished(options) : runOperation(operations.remove, ids, options)))
    })
}

function addHistory(program: Command, finish: Finish): void {
  command(program, 'history', 'show what has ended, the newest first')
    .option('--limit <number>', 'how many at most (default: 100)', wholeNumber)
    .option('--service <name>', 'only those of this host or service')
    .option('--forget <job>', 'forget this entry; may be repeated', collect)
    .addHelpText('after', manual(hostManual))
    .action(async (options: HistoryOptions) => finish(await runHistory(options)))
}

function addSettings(program: Command, finish: Finish): void {
  command(program, 'settings', 'show the settings of the host, or change one')
    // the choices are for completion; a wrong one is told by the command, with what may have been meant
    .addArgument(
      program
        .createArgument('[key]', 'a setting; without it all are shown')
        .choices(settingKeys)
        .argParser(String),
    )
    .argument('[value]', 'its new value')
    .addHelpText('after', manual(settingsManual))
    .action(async (key: string | undefined, value: string | undefined, options: ClientOptions) =>
      finish(await runSettings(key, value, options)),
    )
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,2}$|^1000$/.test(text)) throw new InvalidArgumentError('It takes a number from 1 to 1000.')
  return Number(text)
}

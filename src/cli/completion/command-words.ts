/** What a shell has to know to complete: read off the program itself, so that nothing is listed twice. */
import type { Command, Option } from 'commander'

/** What stands behind an option or as an argument. */
export type Value =
  { kind: 'file' } | { kind: 'folder' } | { kind: 'one of'; words: string[] } | { kind: 'text' }

export interface OptionWords {
  /** as they are typed: `-d`, `--dir` */
  names: string[]
  description: string
  /** null: nothing stands behind it */
  value: Value | null
}

export interface CommandWords {
  name: string
  description: string
  options: OptionWords[]
  argument: Value | null
}

export function commandWords(program: Command): CommandWords[] {
  return program.commands.map((command) => {
    const [argument] = command.registeredArguments
    return {
      name: command.name(),
      description: command.summary(),
      options: optionWords(command),
      argument: argument === undefined ? null : valueOf(argument.name(), argument.argChoices),
    }
  })
}

/** Those that its manual shows, and the one that shows the manual. */
export function optionWords(command: Command): OptionWords[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .map((option: Option) => {
      const names = [option.short, option.long].filter((name) => name !== undefined)
      const placeholder = /[<[](.+?)[>\]]/.exec(option.flags)?.[1]
      return {
        names,
        description: option.description,
        value: placeholder === undefined ? null : valueOf(placeholder, option.argChoices),
      }
    })
}

function valueOf(placeholder: string, choices: readonly string[] | undefined): Value {
  if (choices !== undefined) return { kind: 'one of', words: [...choices] }
  switch (placeholder) {
    case 'file':
      return { kind: 'file' }
    case 'folder':
      return { kind: 'folder' }
    default:
      return { kind: 'text' }
  }
}

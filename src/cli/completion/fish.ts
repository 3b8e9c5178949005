import type { CommandWords, OptionWords, Value } from './command-words.ts'

/** In single quotes, where fish knows the quote and the backslash. */
const quoted = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`

function behind(value: Value): string {
  switch (value.kind) {
    case 'file':
      return ' -r -F'
    case 'folder':
      return " -x -a '(__fish_complete_directories)'"
    case 'one of':
      return ` -x -a ${quoted(value.words.join(' '))}`
    case 'text':
      return ' -x'
  }
}

function optionLine(condition: string, { names, description, value }: OptionWords): string {
  const flags = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`))
  const argument = value === null ? '' : behind(value)
  return `complete -c sluice -n ${quoted(condition)} ${flags.join(' ')}${argument} -d ${quoted(description)}`
}

function commandLines({ name, description, options, argument }: CommandWords): string[] {
  const within = `__fish_seen_subcommand_from ${name}`
  const words = argument?.kind === 'one of' ? ` -a ${quoted(argument.words.join(' '))}` : ''
  return [
    `complete -c sluice -n __fish_use_subcommand -a ${name} -d ${quoted(description)}`,
    ...options.map((option) => optionLine(within, option)),
    ...(words === '' ? [] : [`complete -c sluice -n ${quoted(within)}${words}`]),
  ]
}

export function fishScript(commands: readonly CommandWords[], globalOptions: readonly OptionWords[]): string {
  return [
    '# fish completion for sluice',
    'complete -c sluice -f',
    ...globalOptions.map((option) => optionLine('__fish_use_subcommand', option)),
    ...commands.flatMap(commandLines),
    '',
  ].join('\n')
}

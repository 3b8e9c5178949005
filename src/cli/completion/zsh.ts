import type { CommandWords, OptionWords, Value } from './command-words.ts'

/** In single quotes, where only the quote itself has a meaning. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
/** Within a specification of `_arguments`, colons and brackets have one too. */
const plain = (text: string): string => text.replace(/[\\:[\]]/g, '\\$&')

function action(value: Value): string {
  switch (value.kind) {
    case 'file':
      return ':file:_files'
    case 'folder':
      return ':folder:_files -/'
    case 'one of':
      return `:value:(${value.words.join(' ')})`
    case 'text':
      return ':value: '
  }
}

function optionLines({ names, description, value }: OptionWords): string[] {
  const behind = value === null ? '' : action(value)
  return names.map((name) => quoted(`*${name}[${plain(description)}]${behind}`))
}

function commandCase({ name, options, argument }: CommandWords): string {
  const lines = [
    ...options.flatMap(optionLines),
    ...(argument === null ? [] : [quoted(`*:${action(argument)}`)]),
  ]
  return `    ${name})\n      _arguments ${lines.join(' \\\n        ')} ;;`
}

export function zshScript(commands: readonly CommandWords[], globalOptions: readonly OptionWords[]): string {
  const described = commands.map(({ name, description }) => `    ${quoted(`${name}:${plain(description)}`)}`)
  const globals = globalOptions.flatMap(optionLines).join(' \\\n      ')
  return `#compdef sluice
_sluice() {
  local -a commands
  commands=(
${described.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    _arguments ${globals}
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${commands.map(commandCase).join('\n')}
  esac
}
if [[ $funcstack[1] == _sluice ]]; then _sluice "$@"; else compdef _sluice sluice; fi
`
}

import type { CommandWords, OptionWords, Value } from './command-words.ts'

/** `compgen` with what may stand here. */
function words(value: Value): string {
  switch (value.kind) {
    case 'file':
      return 'compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur"))'
    case 'folder':
      return 'compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur"))'
    case 'one of':
      return `COMPREPLY=($(compgen -W '${value.words.join(' ')}' -- "$cur"))`
    case 'text':
      return 'COMPREPLY=()'
  }
}

function namesOf(options: readonly OptionWords[]): string {
  return options.flatMap(({ names }) => names).join(' ')
}

function commandCase({ name, options, argument }: CommandWords): string {
  const valued = options.flatMap(({ names, value }) =>
    value === null ? [] : [`        ${names.join('|')}) ${words(value)}; return ;;`],
  )
  const behind = valued.length === 0 ? [] : ['      case "$prev" in', ...valued, '      esac']
  return [
    `    ${name})`,
    ...behind,
    `      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '${namesOf(options)}' -- "$cur")); return; fi`,
    ...(argument === null ? [] : [`      ${words(argument)}`]),
    '      ;;',
  ].join('\n')
}

export function bashScript(commands: readonly CommandWords[], globalOptions: readonly OptionWords[]): string {
  const first = [...commands.map(({ name }) => name), namesOf(globalOptions)].join(' ')
  return `# bash completion for sluice
_sluice() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]}
  COMPREPLY=()
  if [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W '${first}' -- "$cur"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${commands.map(commandCase).join('\n')}
  esac
}
complete -F _sluice sluice
`
}

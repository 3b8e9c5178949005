import type { JSX } from 'react'
import { CommandItem, MenuLine } from '../../parts/menu.tsx'
import { commands } from './commands.ts'
import type { CommandId, Situation } from './commands.ts'
import { useCommand } from './use-situation.ts'

/** Groups of commands with a line between them; groups of which nothing is shown on this host leave no line. */
export function CommandMenu(props: {
  groups: readonly (readonly CommandId[])[]
  situation: Situation
}): JSX.Element {
  const say = useCommand()
  const groups = props.groups
    .map((group) => group.map((id) => say(id, props.situation)).filter((command) => !command.isAbsent))
    .filter((group) => group.length > 0)
  return (
    <>
      {groups.map((group, index) => (
        <div key={group[0]?.id} role="group">
          {index > 0 && <MenuLine />}
          {group.map((command) => (
            <CommandItem key={command.id} command={command} icon={commands[command.id].icon} />
          ))}
        </div>
      ))}
    </>
  )
}

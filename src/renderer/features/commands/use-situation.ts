import { useMemo } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { useApp, useAppState } from '../../app-context.tsx'
import { useWords } from '../../i18n/words-context.tsx'
import { commands, selectedRows, situationFacts, situationFrom } from './commands.ts'
import type { CommandId, Situation } from './commands.ts'
import { ariaKeyShortcut, isMac, shortcutParts } from './shortcut.ts'

/**
 * The situation of the selection. Drawn again only when a selected row or a count changes: what else happens in the
 * list, several times a second, does not concern the commands.
 */
export function useSituation(): Situation {
  const rows = useAppState(useShallow(selectedRows))
  const facts = useAppState(useShallow(situationFacts))
  return useMemo(() => situationFrom(facts, rows), [facts, rows])
}

/** A command as a control needs it: in words, with its keys. */
export interface SaidCommand {
  readonly id: CommandId
  readonly label: string
  readonly keys: readonly string[]
  readonly ariaKeys: string | undefined
  readonly refusal: string | null
  readonly isAbsent: boolean
  readonly act: () => void
}

export function useCommand(): (id: CommandId, situation: Situation) => SaidCommand {
  const app = useApp()
  const words = useWords()
  const onMac = isMac(navigator.platform)
  return (id, situation) => {
    const command = commands[id]
    const refusal = command.refusal(situation)
    const { shortcut } = command
    return {
      id,
      label: words.t(command.label(situation)),
      keys: shortcut === undefined ? [] : shortcutParts(shortcut, onMac),
      ariaKeys: shortcut === undefined ? undefined : ariaKeyShortcut(shortcut, onMac),
      refusal: refusal === null ? null : words.t(refusal),
      isAbsent: command.isAbsent?.(situation) ?? false,
      act: () => command.run(app, situation),
    }
  }
}

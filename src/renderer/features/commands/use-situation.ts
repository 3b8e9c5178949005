import { useMemo } from 'react'
import { useApp, useAppState } from '../../app-context.tsx'
import { useWords } from '../../i18n/words-context.tsx'
import { commands, situationOf } from './commands.ts'
import type { CommandId, Situation } from './commands.ts'
import { ariaKeyShortcut, isMac, shortcutParts } from './shortcut.ts'

/** The situation of the selection, drawn again when a selected row changes. */
export function useSituation(): Situation {
  const list = useAppState((state) => state.list)
  const cursor = useAppState((state) => state.cursor)
  const info = useAppState((state) => state.info)
  const settings = useAppState((state) => state.settings)
  const areDetailsOpen = useAppState((state) => state.areDetailsOpen)
  const view = useAppState((state) => state.view)
  return useMemo(
    () => situationOf({ list, cursor, view, info, settings, areDetailsOpen }),
    [list, cursor, view, info, settings, areDetailsOpen],
  )
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

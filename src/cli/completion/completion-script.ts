/** Completions of the command line, as scripts for the shells that people use. */
import type { Command } from 'commander'
import { bashScript } from './bash.ts'
import { commandWords, optionWords } from './command-words.ts'
import { fishScript } from './fish.ts'
import { zshScript } from './zsh.ts'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript }

/** The script that a shell reads once, to complete `sluice` from then on. */
export function completionScript(shell: Shell, program: Command): string {
  return scripts[shell](commandWords(program), optionWords(program))
}

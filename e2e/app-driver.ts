import type { Page } from '@playwright/test'
import type { CommandInput, CommandResult, Commands } from '../src/shared/contract/commands.ts'

/** One host on one home folder: started, ended, killed and started again. */
export interface AppDriver {
  /** what ran, for the report */
  readonly description: string
  /** of the host's process; 0 while it is not running */
  readonly pid: number
  /** Starts the host and resolves with a page that shows its window. */
  start(): Promise<Page>
  /** Ends the host as a user would. */
  quit(): Promise<void>
  /** SIGKILL to the host process alone; what it started has to notice by itself. */
  kill(): Promise<void>
  call<N extends keyof Commands>(name: N, input: CommandInput<N>): Promise<CommandResult<N>>
}

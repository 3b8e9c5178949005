/** The table of commands, bound to what carries them out. Inputs are validated here, whatever the transport. */
import type { Answer } from '../../shared/contract/bridge.ts'
import type { CommandInput, CommandResult } from '../../shared/contract/commands.ts'
import { commands } from '../../shared/contract/commands.ts'
import type { CommandName } from '../../shared/contract/names.ts'
import { commandNames } from '../../shared/contract/names.ts'
import { SluiceError, toErrorRecord } from '../../shared/errors.ts'

/** What carries out each command; `C` is what a connection brings along. */
export type Handlers<C> = {
  [N in CommandName]: (input: CommandInput<N>, connection: C) => Promise<CommandResult<N>>
}

function isCommand(name: string): name is CommandName {
  return (commandNames as readonly string[]).includes(name)
}

function invalid(name: string, issues: readonly { path: PropertyKey[]; message: string }[]): SluiceError {
  const [first] = issues
  const field =
    first === undefined || first.path.length === 0 ? 'the input' : first.path.map(String).join('.')
  return new SluiceError('INVALID_INPUT', `${name}: ${field} does not fit (${first?.message ?? 'invalid'})`, {
    details: { field },
  })
}

/** Never rejects: everything that goes wrong is an answer with a code. */
export async function callCommand<C>(
  handlers: Handlers<C>,
  connection: C,
  name: string,
  input: unknown,
  onFault: (error: unknown) => void,
): Promise<Answer<unknown>> {
  try {
    if (!isCommand(name)) throw new SluiceError('INVALID_INPUT', 'There is no such command')
    const parsed = commands[name].input.safeParse(input)
    if (!parsed.success) throw invalid(name, parsed.error.issues)
    // The schema of this very name has accepted the input; the types of a table row cannot say so.
    const handler = handlers[name] as (input: unknown, connection: C) => Promise<unknown>
    return { ok: true, value: await handler(parsed.data, connection) }
  } catch (thrown) {
    if (!(thrown instanceof SluiceError)) onFault(thrown)
    return { ok: false, error: toErrorRecord(thrown) }
  }
}

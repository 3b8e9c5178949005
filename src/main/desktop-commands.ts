/**
 * The commands that need the user's desktop. The page names a task, never a path: paths come from the task itself,
 * and are looked at on the disk before the desktop gets them.
 */
import { lstat, realpath } from 'node:fs/promises'
import path from 'node:path'
import type { BrowserWindow, Dialog, Shell } from 'electron'
import type { Client } from '../core/service.ts'
import type { Answer } from '../shared/contract/bridge.ts'
import { commands, desktopCommands } from '../shared/contract/commands.ts'
import type { CommandInput, CommandResult } from '../shared/contract/commands.ts'
import type { DesktopCommandName } from '../shared/contract/names.ts'
import { SluiceError, toErrorRecord } from '../shared/errors.ts'
import { canRunCode } from './executable-files.ts'
import type { Texts } from './texts.ts'

export interface DesktopParts {
  client: Pick<Client, 'call'>
  dialog: Pick<Dialog, 'showOpenDialog' | 'showMessageBox'>
  shell: Pick<Shell, 'openPath' | 'showItemInFolder'>
  platform: NodeJS.Platform
  texts: () => Texts
  onFault: (error: unknown) => void
}

export type CallDesktop = (
  name: DesktopCommandName,
  input: unknown,
  window: BrowserWindow | null,
) => Promise<Answer<unknown>>

type Operations = {
  [N in DesktopCommandName]: (
    parts: DesktopParts,
    input: CommandInput<N>,
    window: BrowserWindow | null,
  ) => Promise<CommandResult<N>>
}

const operations: Operations = {
  'desktop.pickFolder': pickFolder,
  'desktop.openFile': openFile,
  'desktop.showInFolder': showInFolder,
}

/** Binds the commands to the desktop; the function it returns never rejects. */
export function createDesktopCommands(parts: DesktopParts): CallDesktop {
  return async (name, input, window) => {
    try {
      return { ok: true, value: await run(name, parts, input, window) }
    } catch (error) {
      if (!(error instanceof SluiceError)) parts.onFault(error)
      return { ok: false, error: toErrorRecord(error) }
    }
  }
}

async function run<N extends DesktopCommandName>(
  name: N,
  parts: DesktopParts,
  input: unknown,
  window: BrowserWindow | null,
): Promise<CommandResult<N>> {
  const parsed = desktopCommands[name].input.safeParse(input)
  if (!parsed.success) throw new SluiceError('INVALID_INPUT', 'The input does not fit the command')
  // parsed by the schema of this very name; the compiler does not follow that through the union
  return operations[name](parts, parsed.data as CommandInput<N>, window)
}

async function pickFolder(
  { dialog, texts }: DesktopParts,
  { current }: CommandInput<'desktop.pickFolder'>,
  window: BrowserWindow | null,
): Promise<CommandResult<'desktop.pickFolder'>> {
  const options = {
    title: texts().chooseFolder,
    properties: ['openDirectory', 'createDirectory'] as ('openDirectory' | 'createDirectory')[],
    ...(path.isAbsolute(current) ? { defaultPath: current } : {}),
  }
  const answer =
    window === null ? await dialog.showOpenDialog(options) : await dialog.showOpenDialog(window, options)
  return { folder: answer.canceled ? null : (answer.filePaths[0] ?? null) }
}

async function openFile(
  parts: DesktopParts,
  { id }: CommandInput<'desktop.openFile'>,
  window: BrowserWindow | null,
): Promise<CommandResult<'desktop.openFile'>> {
  const { file, mode } = await finishedFile(parts, id)
  const choice = canRunCode(file, mode, parts.platform) ? await askBeforeProgram(parts, file, window) : 'open'
  if (choice === 'show') parts.shell.showItemInFolder(file)
  if (choice === 'open' && (await parts.shell.openPath(file)) !== '') {
    throw new SluiceError('UNSUPPORTED', 'No program on this computer opens the file', {
      hint: 'Show it in its folder and choose a program there.',
    })
  }
  return {}
}

async function showInFolder(
  parts: DesktopParts,
  { id }: CommandInput<'desktop.showInFolder'>,
): Promise<CommandResult<'desktop.showInFolder'>> {
  const { file } = await finishedFile(parts, id)
  parts.shell.showItemInFolder(file)
  return {}
}

async function askBeforeProgram(
  { dialog, texts }: DesktopParts,
  file: string,
  window: BrowserWindow | null,
): Promise<'show' | 'open' | 'cancel'> {
  const words = texts()
  const options = {
    type: 'warning' as const,
    message: words.programQuestion(path.basename(file)),
    detail: words.programDetail,
    buttons: [words.showInFolder, words.open, words.cancel],
    defaultId: 0,
    cancelId: 2,
  }
  const { response } =
    window === null ? await dialog.showMessageBox(options) : await dialog.showMessageBox(window, options)
  return (['show', 'open', 'cancel'] as const)[response] ?? 'cancel'
}

/** The first finished file of a task: a real file that still lies in the task's own folder. */
async function finishedFile(parts: DesktopParts, id: string): Promise<{ file: string; mode: number }> {
  const answer = await parts.client.call('tasks.rows', { ids: [id] })
  if (!answer.ok) throw SluiceError.fromRecord(answer.error)
  const row = commands['tasks.rows'].result.parse(answer.value).rows[0]
  if (row === undefined) throw new SluiceError('JOB_NOT_FOUND', 'There is no such task')
  const output = row.outputs[0]
  if (output === undefined) throw new SluiceError('CONFLICT', 'The task has no finished file yet')
  try {
    const { mode, isFile } = await lstat(output).then((found) => ({
      mode: found.mode,
      isFile: found.isFile(),
    }))
    const isInside = isWithin(await realpath(row.folder), await realpath(output))
    if (isFile && isInside) return { file: output, mode }
  } catch {
    // gone, or not to be seen by us: said below
  }
  throw new SluiceError('STORAGE_UNAVAILABLE', 'The file is not where it was saved', {
    hint: 'It was moved, renamed or deleted, or its drive is not there.',
  })
}

function isWithin(folder: string, file: string): boolean {
  const way = path.relative(folder, file)
  return way !== '' && !path.isAbsolute(way) && way.split(path.sep)[0] !== '..'
}

import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Answer } from '../shared/contract/bridge.ts'
import type { TaskRow } from '../shared/view.ts'
import { createDesktopCommands } from './desktop-commands.ts'
import { textsFor } from './texts.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'sluice-desktop-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

function rowOf(outputs: string[]): TaskRow {
  return {
    id: 'task',
    jobId: 'job',
    title: 'film',
    host: 'host.example',
    service: 'host.example',
    state: 'COMPLETED',
    pause: null,
    stopRequested: null,
    blockedBy: null,
    error: null,
    queuePosition: null,
    progress: 100,
    doneBytes: 1,
    size: 1,
    bytesPerSecond: 0,
    remainingSeconds: null,
    active: [],
    pieces: [],
    fileCount: 1,
    folder,
    outputs,
    skipped: [],
    createdAt: 0,
    finishedAt: 0,
  }
}

/** A desktop that writes down what it was asked, over one task with these files. */
function desktopWith(
  outputs: string[],
  answers: { dialog?: number; openFails?: boolean; picked?: string } = {},
) {
  const seen: unknown[] = []
  const rows = (): Answer<unknown> => ({ ok: true, value: { rows: [rowOf(outputs)] } })
  const call = createDesktopCommands({
    client: { call: () => Promise.resolve(rows()) },
    dialog: {
      showOpenDialog: (...args: unknown[]) => {
        seen.push(['pick', args.at(-1)])
        const { picked } = answers
        return Promise.resolve({
          canceled: picked === undefined,
          filePaths: picked === undefined ? [] : [picked],
        })
      },
      showMessageBox: () => {
        seen.push(['ask'])
        return Promise.resolve({ response: answers.dialog ?? 2, checkboxChecked: false })
      },
    },
    shell: {
      openPath: (file) => {
        seen.push(['open', file])
        return Promise.resolve(answers.openFails ? 'no program' : '')
      },
      showItemInFolder: (file) => seen.push(['show', file]),
    },
    platform: 'linux',
    texts: () => textsFor('en', 'en'),
    onFault: (error) => seen.push(['fault', error]),
  })
  return { call, seen }
}

describe('opening a file', () => {
  test('gives a finished file to the system', async () => {
    const file = path.join(folder, 'film.mp4')
    await writeFile(file, 'x')
    const { call, seen } = desktopWith([file])
    expect(await call('desktop.openFile', { id: 'task' }, null)).toEqual({ ok: true, value: {} })
    expect(seen).toEqual([['open', file]])
  })

  test.each([
    [0, 'show'],
    [1, 'open'],
    [2, undefined],
  ])('B12 C133 asks before a program: button %d leads to %s', async (dialog, deed) => {
    const file = path.join(folder, 'setup.sh')
    await writeFile(file, 'x')
    const { call, seen } = desktopWith([file], { dialog })
    expect(await call('desktop.openFile', { id: 'task' }, null)).toEqual({ ok: true, value: {} })
    expect(seen).toEqual(deed === undefined ? [['ask']] : [['ask'], [deed, file]])
  })

  test('asks before a file with execute bits', async () => {
    const file = path.join(folder, 'film.mp4')
    await writeFile(file, 'x')
    await chmod(file, 0o755)
    const { call, seen } = desktopWith([file])
    await call('desktop.openFile', { id: 'task' }, null)
    expect(seen).toEqual([['ask']])
  })

  test('says so when no program opens it', async () => {
    const file = path.join(folder, 'film.mp4')
    await writeFile(file, 'x')
    const { call } = desktopWith([file], { openFails: true })
    expect(await call('desktop.openFile', { id: 'task' }, null)).toMatchObject({
      error: { code: 'UNSUPPORTED' },
    })
  })
})

describe('a file that is not what the task made', () => {
  test('is refused when the task has none yet', async () => {
    const { call } = desktopWith([])
    expect(await call('desktop.showInFolder', { id: 'task' }, null)).toMatchObject({
      error: { code: 'CONFLICT' },
    })
  })

  test('is refused when it is gone, a folder, a link, or outside the folder of the task', async () => {
    const outside = await mkdtemp(path.join(os.tmpdir(), 'sluice-outside-'))
    await writeFile(path.join(outside, 'film.mp4'), 'x')
    await mkdir(path.join(folder, 'folder.mp4'))
    await symlink(path.join(outside, 'film.mp4'), path.join(folder, 'link.mp4'))
    await symlink(outside, path.join(folder, 'way-out'))
    const candidates = [
      path.join(folder, 'gone.mp4'),
      path.join(folder, 'folder.mp4'),
      path.join(folder, 'link.mp4'),
      path.join(folder, 'way-out/film.mp4'),
      path.join(outside, 'film.mp4'),
    ]
    for (const file of candidates) {
      const { call, seen } = desktopWith([file])
      for (const name of ['desktop.openFile', 'desktop.showInFolder'] as const) {
        expect(await call(name, { id: 'task' }, null)).toMatchObject({
          error: { code: 'STORAGE_UNAVAILABLE' },
        })
      }
      expect(seen).toEqual([])
    }
    await rm(outside, { recursive: true })
  })
})

describe('picking a folder', () => {
  test('begins at the current one and answers the choice', async () => {
    const { call, seen } = desktopWith([], { picked: '/new' })
    expect(await call('desktop.pickFolder', { current: folder }, null)).toEqual({
      ok: true,
      value: { folder: '/new' },
    })
    expect(seen).toMatchObject([['pick', { defaultPath: folder }]])
  })

  test('answers null when it is dismissed', async () => {
    const { call } = desktopWith([])
    expect(await call('desktop.pickFolder', { current: '' }, null)).toEqual({
      ok: true,
      value: { folder: null },
    })
  })
})

test.each([undefined, null, {}, { id: 1 }, { id: 'x', path: '/etc/passwd' }, 'x'])(
  'an input of the wrong shape, %j, is answered INVALID_INPUT',
  async (input) => {
    const { call, seen } = desktopWith([])
    for (const name of ['desktop.pickFolder', 'desktop.openFile', 'desktop.showInFolder'] as const) {
      expect(await call(name, input, null)).toMatchObject({ ok: false, error: { code: 'INVALID_INPUT' } })
    }
    expect(seen).toEqual([])
  },
)

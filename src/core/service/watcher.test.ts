import { expect, test } from 'vitest'
import type { ListWindow, TaskRow } from '../../shared/view.ts'
import { Watcher } from './watcher.ts'

// no more of a row is looked at
const row = (id: string): TaskRow => ({ id }) as TaskRow
const counts = { all: 2, running: 0, waiting: 2, paused: 0, completed: 0, failed: 0 }
const both: ListWindow = { ids: ['a', 'b'], total: 2, counts }

test('a task that is removed and comes back before the next window is shown again, with its row', () => {
  const sent: unknown[] = []
  const watcher = new Watcher((name, event) => sent.push([name, event]), 'epoch')
  watcher.watch({ filter: 'all', search: '', sort: 'created', order: 'desc', offset: 0, limit: 10 })
  watcher.sendWindow(both, [row('a'), row('b')])
  watcher.sendWindow(both, [row('a'), row('b')])
  watcher.sendRemoved(['a', 'stranger'])
  watcher.sendWindow(both, [row('a'), row('b')])
  expect(sent).toEqual([
    ['list.window', { epoch: 'epoch', revision: 1, window: both, rows: [row('a'), row('b')] }],
    ['tasks.removed', { epoch: 'epoch', revision: 2, ids: ['a'] }],
    ['list.window', { epoch: 'epoch', revision: 3, window: both, rows: [row('a')] }],
  ])
})

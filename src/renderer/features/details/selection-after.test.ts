import { expect, test } from 'vitest'
import { selectionAfter } from './files-pane.tsx'

const file = (id: string, selected: boolean) => ({
  id,
  name: id,
  size: null,
  doneBytes: 0,
  selected,
  progress: 0,
})
const files = [file('a', true), file('b', false), file('c', true)]

test('a tick adds or takes away its files', () => {
  expect(selectionAfter(files, new Set(['b']), true)).toEqual(['a', 'b', 'c'])
  expect(selectionAfter(files, new Set(['a']), false)).toEqual(['c'])
})

test('the last file cannot be unticked', () => {
  expect(selectionAfter(files, new Set(['a', 'c']), false)).toBeNull()
})

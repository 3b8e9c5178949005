import { describe, expect, it } from 'vitest'
import { commands, desktopCommands } from '../../src/shared/contract/commands.ts'
import { events } from '../../src/shared/contract/events.ts'
import { commandNames, desktopCommandNames, eventNames } from '../../src/shared/contract/names.ts'

describe('the names that the preload binds by', () => {
  it('are those of the table of commands', () => {
    expect([...commandNames].toSorted()).toEqual(Object.keys(commands).toSorted())
    expect([...desktopCommandNames].toSorted()).toEqual(Object.keys(desktopCommands).toSorted())
  })

  it('are those of the table of events', () => {
    expect([...eventNames].toSorted()).toEqual(Object.keys(events).toSorted())
  })
})

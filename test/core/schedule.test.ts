import { describe, expect, test } from 'vitest'
import type { Settings } from '../../src/shared/settings.ts'
import { weekdays } from '../../src/shared/week-hours.ts'
import { settled } from '../fakes/fake-clock.ts'
import { plainLinks, startedHost } from './hosts.ts'
import type { TestHost } from './hosts.ts'

const minute = 60_000

/** Hours that began `ago` minutes ago, or begin in `-ago`, and end after `length` minutes. */
function hoursAround(host: TestHost, ago: number, length: number): Settings['scheduleWindows'] {
  const start = (host.clock.minuteOfWeek() - ago + 7 * 1440) % (7 * 1440)
  const end = (start + length) % 1440
  const text = (minutes: number) =>
    `${String(Math.floor((minutes % 1440) / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
  return [{ day: weekdays[Math.floor(start / 1440)] ?? 'mon', from: text(start), to: text(end) }]
}

/** Time goes by while the workers are heard and bring something. */
async function pass(host: TestHost, minutes: number): Promise<void> {
  for (let second = 0; second < minutes * 60; second += 10) {
    for (const worker of host.pool.alive) {
      for (const order of worker.orders.values()) host.workers.advance(worker, order, 1)
    }
    await host.clock.advance(10_000)
  }
}

async function rowOf(host: TestHost, id: string) {
  const [row] = (await host.call('tasks.rows', { ids: [id] })).rows
  if (row === undefined) throw new Error(`there is no row ${id}`)
  return row
}

describe('a schedule that pauses', () => {
  test('stops what runs when the hours end, and brings it back to the head when they begin', async () => {
    const host = await startedHost({ maxConcurrentTasks: 2 })
    const [a = '', b = '', c = ''] = await host.add(...plainLinks(3))
    await host.call('settings.set', { scheduleMode: 'pause', scheduleWindows: hoursAround(host, 30, 32) })
    expect(host.running()).toEqual([a, b])
    await pass(host, 3)
    expect(host.running()).toEqual([])
    const { pause } = await host.task(a)
    expect(pause).toMatchObject({ kind: 'schedule' })
    const resumeAt = pause?.kind === 'schedule' ? (pause.resumeAt ?? 0) : 0
    expect(resumeAt - host.clock.now()).toBeGreaterThan(6 * 24 * 60 * minute)
    expect(host.waiting()).toEqual([c])
    expect((await rowOf(host, c)).blockedBy?.message).toBe('Outside the allowed hours')
    await host.call('settings.set', { scheduleWindows: hoursAround(host, -5, 60) })
    await pass(host, 3)
    expect(host.running()).toEqual([])
    await pass(host, 3)
    expect(host.running().toSorted()).toEqual([a, b].toSorted())
    expect(host.waiting()).toEqual([c])
  })

  test('lets a mux run to its end first', async () => {
    const host = await startedHost()
    const film = await host.addRunning('http://host.test/pair/1')
    await host.finish(film)
    await host.call('settings.set', { scheduleMode: 'pause', scheduleWindows: hoursAround(host, -60, 60) })
    expect((await host.step(film, 'mux')).state).toBe('RUNNING')
    await host.finish(film)
    await settled()
    expect(await host.state(film)).toBe('COMPLETED')
  })

  test('gives up what was about to start', async () => {
    const host = await startedHost()
    const gate = Promise.withResolvers<undefined>()
    host.pool.gate = gate.promise
    const [id = ''] = await host.add(...plainLinks(1))
    await host.call('settings.set', { scheduleMode: 'pause', scheduleWindows: hoursAround(host, -60, 60) })
    gate.resolve(undefined)
    await settled()
    expect(host.running()).toEqual([])
    expect(host.waiting()).toEqual([id])
  })

  test('leaves alone what the user paused, and a user takes a task of the schedule over', async () => {
    const host = await startedHost()
    const [a = '', b = ''] = await host.add(...plainLinks(2))
    await host.call('tasks.pause', { ids: [a] })
    await host.call('settings.set', { scheduleMode: 'pause', scheduleWindows: hoursAround(host, -60, 60) })
    expect((await host.task(b)).pause?.kind).toBe('schedule')
    await host.call('tasks.pause', { ids: [b] })
    expect((await host.task(b)).pause?.kind).toBe('user')
    await host.call('settings.set', { scheduleMode: 'off' })
    await pass(host, 1)
    expect(host.running()).toEqual([])
  })

  test('goes on over a restart of the host, in which the hours may have begun', async () => {
    const host = await startedHost()
    const [id = ''] = await host.add(...plainLinks(1))
    await host.call('settings.set', { scheduleMode: 'pause', scheduleWindows: hoursAround(host, -60, 60) })
    await host.restartHost()
    expect((await host.task(id)).pause?.kind).toBe('schedule')
    host.clock.jumpWall(61 * minute)
    await host.restartHost()
    expect(host.running()).toEqual([id])
  })

  test('notices within a minute that the clock was set', async () => {
    const host = await startedHost()
    const [id = ''] = await host.add(...plainLinks(1))
    await host.call('settings.set', { scheduleMode: 'pause', scheduleWindows: hoursAround(host, -60, 60) })
    host.clock.jumpWall(61 * minute)
    await pass(host, 1)
    expect(host.running()).toEqual([id])
  })

  test('without any window restrains nothing, and switched off sets no timer', async () => {
    const host = await startedHost()
    const idle = host.clock.pendingTimers
    await host.call('settings.set', { scheduleMode: 'pause', scheduleWindows: [] })
    const [id = ''] = await host.add(...plainLinks(1))
    expect(host.running()).toEqual([id])
    await host.call('tasks.cancel', { ids: [id] })
    await host.call('settings.set', { scheduleMode: 'off' })
    await pass(host, 1)
    expect(host.clock.pendingTimers).toBe(idle)
  })
})

describe('a schedule that slows', () => {
  test('shares the slow limit outside the hours, and the usual one within them', async () => {
    const host = await startedHost({ slowSpeedLimitBytesPerSecond: 5000 })
    const [id = ''] = await host.add(...plainLinks(1))
    const worker = await host.workerOf(id)
    const limit = () =>
      worker.received
        .flatMap((message) => ('limits' in message ? [message.limits.bytesPerSecond] : []))
        .at(-1)
    expect(limit()).toBeNull()
    await host.call('settings.set', { scheduleMode: 'slow', scheduleWindows: hoursAround(host, -2, 60) })
    expect(limit()).toBe(5000)
    expect(host.running()).toEqual([id])
    await host.call('settings.set', { speedLimitBytesPerSecond: 3000 })
    expect(limit()).toBe(3000)
    await host.call('settings.set', { speedLimitBytesPerSecond: 0 })
    await pass(host, 3)
    expect(limit()).toBeNull()
  })
})

/** Which FFmpeg the host knows: the one of the setting that holds, in whatever order its searches end. */
import { expect, test } from 'vitest'
import { CoreWorld } from '../fakes/core-world.ts'
import { settled } from '../fakes/fake-clock.ts'

test('a search for an earlier setting that ends last is not taken', async () => {
  const searches = new Map<string, () => void>()
  const findFfmpeg = (path: string) =>
    new Promise<{ path: string; version: string }>((resolve) => {
      searches.set(path, () => {
        resolve({ path, version: path.slice(1) })
      })
      if (path === '') resolve({ path: '/usr/bin/ffmpeg', version: '5' })
    })
  const world = new CoreWorld({}, { findFfmpeg })
  await world.start()
  await world.call('settings.set', { ffmpegPath: '/slow' })
  await world.call('settings.set', { ffmpegPath: '/quick' })
  searches.get('/quick')?.()
  await settled()
  searches.get('/slow')?.()
  await settled()
  expect(await world.call('app.info', {})).toMatchObject({ ffmpeg: { path: '/quick', version: 'quick' } })
})

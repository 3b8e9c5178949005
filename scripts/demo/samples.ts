/** What the demonstration downloads: honest hosts, slow ones, and hosts that break in the ways that hosts do. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { CommandInput } from '../../src/shared/contract/commands.ts'
import type { FaultServer } from '../../test/fault-server/fault-server.ts'
import { fixedBody } from '../../test/fault-server/fault-server.ts'

export interface Sample {
  /** what a person should see */
  tells: string
  task: CommandInput<'tasks.add'>
}

const media = path.join(import.meta.dirname, '../../test/media/files')
const megabyte = 1_000_000

/** Serves all samples and answers what to queue: what ends soon comes first, so that every state is there to see. */
export function serveSamples(source: FaultServer): Sample[] {
  serveHonest(source)
  serveBroken(source)
  const one = { connections: 1 }
  const single = (file: string, options: Sample['task']['options'] = {}) => ({
    links: [source.url(`/${file}`)],
    options,
  })
  return [
    { tells: 'a plain file over several connections', task: single('photo-archive.zip') },
    {
      tells: 'a video and an audio track, muxed into one file',
      task: {
        pair: {
          video: serveTrack(source, 'talk-video.mp4', 'video.mp4', 1500),
          audio: serveTrack(source, 'talk-audio.m4a', 'audio.m4a', 2500),
        },
        options: { name: 'talk.mp4', ...one },
      },
    },
    { tells: 'a link that leads nowhere', task: single('gone.pdf') },
    { tells: 'a page where a video should be', task: single('sign-in.mp4') },
    {
      tells: 'a file that is not what its checksum says',
      task: single('wrong-sum.bin', { checksum: `sha256:${'0'.repeat(64)}` }),
    },
    { tells: 'a host that does not exist', task: { links: ['http://no-such-host.invalid/file.zip'] } },
    {
      tells: 'a host that breaks every connection; it goes on where it was',
      task: single('drops-often.bin', one),
    },
    { tells: 'a busy host that says when to come back', task: single('busy-host.pdf') },
    { tells: 'a slow host', task: single('slow-lecture.mp3', one) },
    {
      tells: 'a host that cannot resume: it is not stopped for others',
      task: single('one-way-host.tar', one),
    },
    { tells: 'a large file', task: single('linux-image.iso') },
    { tells: 'one that starts when you say so', task: single('photo-archive.zip', { startPaused: true }) },
  ]
}

function serveHonest(source: FaultServer): void {
  source.serve('/photo-archive.zip', {
    ...{ length: 48 * megabyte, seed: 1, etag: '"1"', bytesPerSecond: megabyte },
  })
  source.serve('/linux-image.iso', {
    ...{ length: 400 * megabyte, seed: 2, etag: '"2"', bytesPerSecond: 2 * megabyte },
  })
  source.serve('/slow-lecture.mp3', { length: 9 * megabyte, seed: 3, etag: '"3"', bytesPerSecond: 90_000 })
}

function serveBroken(source: FaultServer): void {
  source.serve('/one-way-host.tar', {
    ...{ length: 30 * megabyte, seed: 4, ranges: 'refuse', bytesPerSecond: megabyte },
  })
  source.serve('/drops-often.bin', {
    ...{ length: 12 * megabyte, seed: 5, etag: '"5"', bytesPerSecond: 2 * megabyte },
    faults: (_request, number) =>
      number < 4 ? { breakAfter: { bytes: 2 * megabyte, how: 'reset' } } : undefined,
  })
  source.statuses('/busy-host.pdf', [503, 503], { length: megabyte, seed: 6, etag: '"6"' }, [
    ['Retry-After', '2'],
  ])
  source.serve('/sign-in.mp4', { body: '<!doctype html><title>Sign in</title>', contentType: 'text/html' })
  source.serve('/wrong-sum.bin', { length: megabyte, seed: 7, etag: '"7"' })
}

function serveTrack(source: FaultServer, name: string, file: string, bytesPerSecond: number): string {
  source.serve(`/${name}`, {
    body: fixedBody(readFileSync(path.join(media, file))),
    etag: `"${name}"`,
    contentType: name.endsWith('.mp4') ? 'video/mp4' : 'audio/mp4',
    bytesPerSecond,
  })
  return source.url(`/${name}`)
}

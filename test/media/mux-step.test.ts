import { execFileSync } from 'node:child_process'
import { chmod, copyFile, mkdir, mkdtemp, readFile, readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findFfmpeg } from '../../src/adapters/ffmpeg.ts'
import { startTimeOf } from '../../src/adapters/process-identity.ts'
import type { StepOutcome } from '../../src/shared/worker-protocol.ts'
import type { MuxOrder } from '../../src/worker/media/muxer.ts'
import { createMuxStep } from '../../src/worker/media/mux-step.ts'
import { openTracks } from '../../src/worker/media/open-tracks.ts'
import { verifyMuxed } from '../../src/worker/media/verify.ts'
import { stepHarness } from './step-harness.ts'
import type { StepHarness } from './step-harness.ts'

const media = join(import.meta.dirname, 'files')
const ffmpeg = (await findFfmpeg(''))?.path ?? null
const run = createMuxStep()

interface Probe {
  streams: { codec_type: string; codec_name: string; duration?: string }[]
  format: { duration: string; format_name: string }
}

/** A second demuxer's opinion, so that we do not only believe ourselves. */
function ffprobe(path: string): Probe {
  const args = ['-v', 'error', '-show_streams', '-show_format', '-of', 'json', path]
  return JSON.parse(execFileSync('ffprobe', args).toString()) as Probe
}

/** How many frames FFmpeg decodes, and that it has nothing to complain of. */
function decode(path: string): void {
  const said = execFileSync('ffmpeg', ['-v', 'error', '-i', path, '-f', 'null', '-'], { stdio: 'pipe' })
  expect(said.toString()).toBe('')
}

describe('the mux step', () => {
  let folder: string
  let working: string

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-mux-'))
    working = join(folder, 'working')
    await mkdir(working)
  })
  afterEach(() => rm(folder, { recursive: true }))

  async function orderFor(
    video: string,
    audio: string,
    options: Partial<MuxOrder> = {},
  ): Promise<{ order: MuxOrder; to: string }> {
    await copyFile(join(media, video), join(working, 'video'))
    await copyFile(join(media, audio), join(working, 'audio'))
    const to = join(folder, 'out')
    const order: MuxOrder = {
      kind: 'mux',
      workingFolder: working,
      fileName: 'muxed',
      tracks: [
        { path: join(working, 'video'), kind: 'video', label: '' },
        { path: join(working, 'audio'), kind: 'audio', label: '' },
      ],
      container: null,
      ffmpegPath: null,
      publishTo: to,
      ...options,
    }
    return { order, to }
  }

  const execute = async (order: MuxOrder, harness: StepHarness): Promise<StepOutcome> =>
    run(order, null, harness.context)

  for (const way of ffmpeg === null ? ['embedded'] : ['embedded', 'FFmpeg']) {
    const ffmpegPath = way === 'FFmpeg' ? ffmpeg : null
    for (const [video, audio, format, codecs] of [
      ['video.mp4', 'audio.m4a', 'mp4', ['h264', 'aac']],
      ['video.webm', 'audio.webm', 'webm', ['vp9', 'opus']],
      ['video.mp4', 'audio.webm', 'mp4', ['h264', 'opus']],
      ['video.webm', 'audio.m4a', 'matroska', ['vp9', 'aac']],
    ] as const) {
      it(`${way}: joins ${video} and ${audio} into ${format}, whole by a second demuxer`, async () => {
        const { order, to } = await orderFor(video, audio, { ffmpegPath })
        const harness = stepHarness(to)
        const outcome = await execute(order, harness)
        expect(outcome).toMatchObject({ kind: 'completed', result: { kind: 'file', output: { path: to } } })
        const probe = ffprobe(to)
        expect(probe.streams.map((stream) => stream.codec_name)).toEqual(codecs)
        expect(probe.format.format_name).toContain(format)
        expect(Math.abs(Number(probe.format.duration) - 4)).toBeLessThan(0.05)
        decode(to)
        expect(await readdir(working)).toEqual([])
        expect(harness.children).toHaveLength(way === 'FFmpeg' ? 1 : 0)
        expect(harness.facts[0]?.preemptible).toBe(false)
        const fractions = harness.progress.map((progress) => progress.fraction)
        expect(fractions).toEqual([...fractions].sort((a, b) => a - b))
      })
    }

    it(`${way}: a truncated track is a mux error, publishes nothing and keeps the tracks`, async () => {
      const { order, to } = await orderFor('video.mp4', 'audio.m4a', { ffmpegPath })
      await truncate(join(working, 'audio'), 9000)
      const outcome = await execute(order, stepHarness(to))
      expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'MUX_ERROR' } })
      expect(await readdir(folder)).toEqual(['working'])
      expect(await readdir(working)).toEqual(expect.arrayContaining(['audio', 'video']))
    })
  }

  it('garbage instead of a track is a mux error that says which', async () => {
    const { order, to } = await orderFor('video.mp4', 'audio.m4a')
    await writeFile(join(working, 'video'), Buffer.alloc(20_000, 7))
    const outcome = await execute(order, stepHarness(to))
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'MUX_ERROR' } })
    expect(JSON.stringify(outcome)).toContain('video')
  })

  it('two links to video are refused: the audio link holds no audio', async () => {
    const { order, to } = await orderFor('video.mp4', 'video.mp4')
    expect(await execute(order, stepHarness(to))).toMatchObject({
      kind: 'failed',
      error: { code: 'MUX_ERROR' },
    })
  })

  it('when FFmpeg fails, the embedded muxer is tried once', async () => {
    const broken = join(folder, 'broken-ffmpeg')
    await writeFile(broken, '#!/bin/sh\nexit 1\n')
    await chmod(broken, 0o755)
    const { order, to } = await orderFor('video.mp4', 'audio.m4a', { ffmpegPath: broken })
    expect(await execute(order, stepHarness(to))).toMatchObject({ kind: 'completed' })
    decode(to)
  })

  it('a silent FFmpeg is killed with its group when the step is stopped', async () => {
    const hanging = join(folder, 'hanging-ffmpeg')
    await writeFile(hanging, '#!/bin/sh\nsleep 300 &\nwait\n')
    await chmod(hanging, 0o755)
    const { order, to } = await orderFor('video.mp4', 'audio.m4a', { ffmpegPath: hanging })
    const harness = stepHarness(to, () => setImmediate(() => harness.stop('discard')))
    expect(await execute(order, harness)).toEqual({ kind: 'paused', checkpoint: null, cause: null })
    expect(harness.children).toHaveLength(1)
    expect(await startTimeOf(harness.children[0] ?? 0)).toBeNull()
    expect(() => process.kill(-(harness.children[0] ?? 0), 0)).toThrow()
  })

  it('a result that is shorter than its tracks is for a person to review', async () => {
    const { order, to } = await orderFor('video.mp4', 'audio.m4a')
    const { tracks, close } = await openTracks(order.tracks)
    const verify = (some: typeof tracks) =>
      verifyMuxed(join(media, 'video.mp4'), {
        tracks: some,
        context: stepHarness(to).context,
        onProgress: () => null,
      })
    const longer = tracks.map((track) => ({ ...track, end: track.end + 2 }))
    await expect(verify(longer.slice(0, 1))).rejects.toMatchObject({ code: 'DURATION_MISMATCH' })
    await expect(verify(tracks.slice(0, 1))).resolves.toBeUndefined()
    await expect(verify(tracks)).rejects.toMatchObject({ code: 'MUX_ERROR' })
    close()
  })

  it('packets arrive unchanged: the embedded and the committed video decode to the same pictures', async () => {
    if (ffmpeg === null) throw new Error('FFmpeg is needed as an oracle')
    const { order, to } = await orderFor('video.mp4', 'audio.m4a')
    await execute(order, stepHarness(to))
    const hash = (path: string) =>
      execFileSync(ffmpeg, ['-v', 'error', '-i', path, '-map', '0:v', '-f', 'md5', '-']).toString()
    expect(hash(to)).toBe(hash(join(media, 'video.mp4')))
    expect((await readFile(to)).length).toBeGreaterThan(30_000)
  })
})

import { execFileSync } from 'node:child_process'
import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { findFfmpeg } from '../../src/adapters/ffmpeg.ts'
import { groupLives } from '../../src/adapters/workers/process-group.ts'
import { startTimeOf } from '../../src/adapters/process-identity.ts'
import type { StepOutcome } from '../../src/shared/worker-protocol.ts'
import type { MuxOrder } from '../../src/worker/media/mux-order.ts'
import { createMuxStep } from '../../src/worker/media/mux-step.ts'
import { openTracks } from '../../src/worker/media/open-tracks.ts'
import { verifyMuxed } from '../../src/worker/media/verify.ts'
import { stepHarness } from './step-harness.ts'
import type { StepHarness } from './step-harness.ts'

const media = join(import.meta.dirname, 'files')
const ffmpeg = (await findFfmpeg(''))?.path ?? null
const run = createMuxStep()

interface Probe {
  streams: { codec_type: string; codec_name: string; start_time?: string }[]
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

    for (const [video, audio, cut] of [
      ['video.mp4', 'audio.m4a', 'audio'],
      ['video.mp4', 'audio.m4a', 'video'],
      ['video.webm', 'audio.webm', 'audio'],
      ['video.webm', 'audio.webm', 'video'],
    ] as const) {
      it(`${way}: a truncated ${cut} of ${video} and ${audio} is a mux error that publishes nothing and keeps the tracks`, async () => {
        const { order, to } = await orderFor(video, audio, { ffmpegPath })
        await truncate(join(working, cut), 9000)
        const outcome = await execute(order, stepHarness(to))
        expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'MUX_ERROR' } })
        expect(await readdir(folder)).toEqual(['working'])
        expect((await readdir(working)).sort()).toEqual(['audio', 'video'])
      })
    }

    it(`${way}: tracks that start late stay as far apart as they were`, async () => {
      const { order, to } = await orderFor('video.mp4', 'late.m4a', { ffmpegPath })
      expect(await execute(order, stepHarness(to))).toMatchObject({ kind: 'completed' })
      const starts = ffprobe(to).streams.map((stream) => Number(stream.start_time))
      expect(starts[0]).toBeCloseTo(0, 1)
      expect(starts[1]).toBeCloseTo(0.7, 1)
    })

    it(`${way}: a file in the way is left alone and another name is asked for`, async () => {
      const { order, to } = await orderFor('video.mp4', 'audio.m4a', { ffmpegPath })
      await writeFile(to, 'somebody else’s')
      const harness = stepHarness(to)
      const requestPublish = (_from: string, takenPath: string | null) =>
        Promise.resolve({ kind: 'publish' as const, to: takenPath === null ? to : `${to} (1)` })
      const outcome = await run(order, null, { ...harness.context, requestPublish })
      expect(outcome).toMatchObject({ kind: 'completed', result: { output: { path: `${to} (1)` } } })
      expect(await readFile(to, 'utf8')).toBe('somebody else’s')
    })

    it(`${way}: without leave to publish the step pauses and nothing is lost`, async () => {
      const { order, to } = await orderFor('video.mp4', 'audio.m4a', { ffmpegPath })
      const refuse = () => Promise.resolve({ kind: 'refused' as const })
      const outcome = await run(order, null, { ...stepHarness(to).context, requestPublish: refuse })
      expect(outcome).toEqual({ kind: 'paused', checkpoint: null, cause: null })
      expect((await readdir(working)).sort()).toEqual(['audio', 'muxed', 'video'])
      expect(await execute(order, stepHarness(to))).toMatchObject({ kind: 'completed' })
    })

    it(`${way}: stopped in the middle it leaves the tracks and nothing else`, async () => {
      const { order, to } = await orderFor('video.mp4', 'audio.m4a', { ffmpegPath })
      const harness = stepHarness(to)
      const stopAtOnce = { ...harness.context, reportProgress: () => harness.stop('discard') }
      expect(await run(order, null, stopAtOnce)).toEqual({ kind: 'paused', checkpoint: null, cause: null })
      expect((await readdir(working)).sort()).toEqual(['audio', 'video'])
    })
  }

  it('a header that promises far more than there is asks for a person', async () => {
    const { order, to } = await orderFor('video.webm', 'audio.webm')
    const bytes = await readFile(join(working, 'video'))
    // Segment Information, Duration (RFC 9559 section 5.1.2.10): an 8-byte float, in milliseconds here
    const at = bytes.indexOf(Buffer.from('448988', 'hex')) + 3
    expect(bytes.readDoubleBE(at)).toBeCloseTo(4000, -2)
    bytes.writeDoubleBE(60_000, at)
    await writeFile(join(working, 'video'), bytes)
    expect(await execute(order, stepHarness(to))).toMatchObject({
      kind: 'paused',
      cause: { kind: 'review', error: { code: 'TOO_SHORT', details: { expectedSeconds: 60 } } },
    })
  })

  it('what a person has taken as it is gets its name although it is too short', async () => {
    const { order, to } = await orderFor('video.webm', 'audio.webm')
    const bytes = await readFile(join(working, 'video'))
    bytes.writeDoubleBE(60_000, bytes.indexOf(Buffer.from('448988', 'hex')) + 3)
    await writeFile(join(working, 'video'), bytes)
    expect(await execute({ ...order, accepted: ['TOO_SHORT'] }, stepHarness(to))).toMatchObject({
      kind: 'completed',
    })
    expect((await stat(to)).size).toBeGreaterThan(1000)
  })

  it('a track that is gone or a folder that cannot be written is trouble of the drive', async () => {
    const { order, to } = await orderFor('video.mp4', 'audio.m4a')
    await rm(join(working, 'audio'))
    expect(await execute(order, stepHarness(to))).toMatchObject({
      kind: 'paused',
      cause: { kind: 'storage', error: { code: 'STORAGE_UNAVAILABLE' } },
    })
  })

  it('subtitles are refused by name', async () => {
    const { order, to } = await orderFor('video.mp4', 'audio.m4a')
    const tracks = order.tracks.map((track) => ({ ...track, kind: 'subtitle' as const }))
    expect(await execute({ ...order, tracks }, stepHarness(to))).toMatchObject({
      kind: 'failed',
      error: { code: 'MUX_ERROR', message: expect.stringContaining('Subtitles') as unknown },
    })
  })

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

  /** A program in FFmpeg's place, with a child of its own, as a script of the shell. */
  async function inPlaceOfFfmpeg(script: string): Promise<string> {
    const path = join(folder, 'ffmpeg-double')
    await writeFile(path, `#!/bin/sh\n${script}\n`)
    await chmod(path, 0o755)
    return path
  }

  async function expectGroupGone(pid: number | undefined): Promise<void> {
    expect(pid).toBeDefined()
    expect(await startTimeOf(pid ?? 0)).toBeNull()
    await vi.waitFor(() => expect(groupLives(pid ?? 0)).toBe(false), { timeout: 5_000 })
  }

  it('a silent FFmpeg is killed with its group when the step is stopped', async () => {
    const ffmpegPath = await inPlaceOfFfmpeg('sleep 300 & echo progress=continue; wait')
    const { order, to } = await orderFor('video.mp4', 'audio.m4a', { ffmpegPath })
    const harness = stepHarness(to, () => setImmediate(() => harness.stop('discard')))
    expect(await execute(order, harness)).toEqual({ kind: 'paused', checkpoint: null, cause: null })
    await expectGroupGone(harness.children[0])
  })

  /** Resolves when the process waits for something, with the number of processes that it has started. */
  async function waitingWithChildren(pid: number): Promise<number> {
    await vi.waitFor(async () => expect(await readFile(`/proc/${pid}/stat`, 'utf8')).toMatch(/\) S /), {
      timeout: 5_000,
    })
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return children.split(' ').filter((child) => child !== '').length
  }

  it('FFmpeg does not run before its group is recorded, and a stop does not wait for the record', async () => {
    const ffmpegPath = await inPlaceOfFfmpeg(`touch "${join(folder, 'ran')}"`)
    const { order, to } = await orderFor('video.mp4', 'audio.m4a', { ffmpegPath })
    const harness = stepHarness(to)
    let pid: number | undefined
    let started: number | undefined
    const recordChild = async (child: number) => {
      pid = child
      started = await waitingWithChildren(child)
      harness.stop('discard')
      return new Promise<void>(() => null)
    }
    const outcome = await run(order, null, { ...harness.context, recordChild })
    expect(outcome).toEqual({ kind: 'paused', checkpoint: null, cause: null })
    await expectGroupGone(pid)
    expect(started).toBe(0)
    expect(await readdir(folder)).not.toContain('ran')
  })

  it('an FFmpeg that tells the same figures for too long has stalled, which is a failure', async () => {
    const stuck =
      'while :; do echo total_size=100; echo out_time_us=5; echo progress=continue; sleep 0.02; done'
    const ffmpegPath = await inPlaceOfFfmpeg(stuck)
    const { order, to } = await orderFor('video.mp4', 'audio.m4a', { ffmpegPath })
    const harness = stepHarness(to)
    const limits = () => ({ ...harness.context.limits(), stallTimeoutMs: 300 })
    expect(await run(order, null, { ...harness.context, limits })).toMatchObject({
      kind: 'failed',
      error: { code: 'STALLED' },
    })
    await expectGroupGone(harness.children[0])
  })

  it('an FFmpeg that writes without end is killed, and the embedded muxer does the work', async () => {
    const endless = 'echo total_size=999999999999; echo progress=continue; sleep 300'
    const ffmpegPath = await inPlaceOfFfmpeg(endless)
    const { order, to } = await orderFor('video.mp4', 'audio.m4a', { ffmpegPath })
    const harness = stepHarness(to)
    expect(await execute(order, harness)).toMatchObject({ kind: 'completed' })
    await expectGroupGone(harness.children[0])
  })

  it('FFmpeg sees none of our environment but where programs are', async () => {
    process.env['SLUICE_TEST_SECRET'] = 'hidden'
    const ffmpegPath = await inPlaceOfFfmpeg(`env > "${join(folder, 'environment')}"; exit 1`)
    const { order, to } = await orderFor('video.mp4', 'audio.m4a', { ffmpegPath })
    await execute(order, stepHarness(to))
    delete process.env['SLUICE_TEST_SECRET']
    const seen = await readFile(join(folder, 'environment'), 'utf8')
    expect(seen).toContain('PATH=')
    expect(seen).not.toContain('hidden')
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

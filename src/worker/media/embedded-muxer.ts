/**
 * The muxer that is always there: mediabunny copies packets from file to file. Packets of the tracks are written
 * in the order of their timestamps, so that memory stays at a few packets and a player finds sound beside
 * picture. (WebM and Matroska want clusters to interleave, ISO/IEC 14496-12 chunks.)
 */
import { open } from 'node:fs/promises'
import { EncodedAudioPacketSource, EncodedVideoPacketSource } from 'mediabunny'
import { MkvOutputFormat, Mp4OutputFormat, Output, WebMOutputFormat } from 'mediabunny'
import type { EncodedPacket, OutputFormat } from 'mediabunny'
import { SluiceError } from '../../shared/errors.ts'
import { lockstep } from './lockstep.ts'
import type { Container } from './mux-order.ts'
import type { MuxJob, Muxer } from './muxer.ts'
import { isErrno, Stopped } from './mux-ends.ts'
import type { OpenTrack } from './open-tracks.ts'
import { OutputFile } from './output-file.ts'

const formats: Record<Container, () => OutputFormat> = {
  // the index at the end: in front it would have to be kept in memory or written twice
  mp4: () => new Mp4OutputFormat({ fastStart: false }),
  webm: () => new WebMOutputFormat(),
  mkv: () => new MkvOutputFormat(),
}

type Write = (packet: EncodedPacket) => Promise<void>

async function addVideo(output: Output, { track }: OpenTrack): Promise<Write> {
  if (!track.isVideoTrack()) throw new SluiceError('MUX_ERROR', 'The video track holds no video')
  const codec = await track.getCodec()
  const config = await track.getDecoderConfig()
  if (codec === null || config === null)
    throw new SluiceError('MUX_ERROR', 'The video has no decoder settings')
  const source = new EncodedVideoPacketSource(codec)
  output.addVideoTrack(source, { rotation: await track.getRotation() })
  return (packet) => source.add(packet, { decoderConfig: config })
}

async function addAudio(output: Output, { track }: OpenTrack): Promise<Write> {
  if (!track.isAudioTrack()) throw new SluiceError('MUX_ERROR', 'The audio track holds no audio')
  const codec = await track.getCodec()
  const config = await track.getDecoderConfig()
  if (codec === null || config === null)
    throw new SluiceError('MUX_ERROR', 'The audio has no decoder settings')
  const source = new EncodedAudioPacketSource(codec)
  output.addAudioTrack(source, { languageCode: await track.getLanguageCode() })
  return (packet) => source.add(packet, { decoderConfig: config })
}

async function copyPackets(output: Output, writes: readonly Write[], job: MuxJob): Promise<void> {
  // a container's time starts at zero: what comes before or after moves all tracks alike, so that they stay in step
  const start = Math.min(...job.tracks.map((track) => track.start))
  const length = Math.max(...job.tracks.map((track) => track.end)) - start
  const tracks = job.tracks.map(({ track }) => track)
  await output.start()
  for await (const { index, packet } of lockstep(tracks, { withData: true })) {
    if (job.context.signal.aborted) throw new Stopped()
    const timestamp = packet.timestamp - start
    await writes[index]?.(start === 0 ? packet : packet.clone({ timestamp }))
    job.onProgress(Math.min(1, Math.max(0, timestamp / length)))
  }
  await output.finalize()
}

export const embeddedMuxer: Muxer = async (job) => {
  const handle = await open(job.to, 'wx')
  const output = new Output({ format: formats[job.container](), target: new OutputFile(handle) })
  try {
    const writes: Write[] = []
    for (const track of job.tracks) {
      writes.push(await (track.kind === 'video' ? addVideo(output, track) : addAudio(output, track)))
    }
    await copyPackets(output, writes, job)
  } catch (error) {
    if (output.state !== 'finalized') await output.cancel()
    if (error instanceof Stopped || error instanceof SluiceError) throw error
    if (isErrno(error)) throw error
    throw new SluiceError('MUX_ERROR', `The tracks could not be joined into ${job.container}`, {
      cause: error,
    })
  } finally {
    await handle.close()
  }
}

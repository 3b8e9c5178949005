/**
 * The muxer that is always there: mediabunny copies packets from file to file. Packets of the tracks are written
 * in the order of their timestamps, so that memory stays at a few packets and a player finds sound beside
 * picture. (WebM and Matroska want clusters to interleave, ISO/IEC 14496-12 chunks.)
 */
import { EncodedAudioPacketSource, EncodedPacketSink, EncodedVideoPacketSource } from 'mediabunny'
import { FilePathTarget, MkvOutputFormat, Mp4OutputFormat, Output, WebMOutputFormat } from 'mediabunny'
import type { EncodedPacket, OutputFormat } from 'mediabunny'
import { SluiceError } from '../../shared/errors.ts'
import type { Container, MuxJob, Muxer } from './muxer.ts'
import { Stopped } from './muxer.ts'
import type { OpenTrack } from './open-tracks.ts'

const formats: Record<Container, () => OutputFormat> = {
  // the index at the end: in front it would have to be kept in memory or written twice
  mp4: () => new Mp4OutputFormat({ fastStart: false }),
  webm: () => new WebMOutputFormat(),
  mkv: () => new MkvOutputFormat(),
}

/** One track on its way: its next packet and where it goes. */
interface Lane {
  next: EncodedPacket | null
  advance: () => Promise<void>
  write: (packet: EncodedPacket) => Promise<void>
}

async function addVideo(output: Output, open: OpenTrack): Promise<(packet: EncodedPacket) => Promise<void>> {
  if (!open.track.isVideoTrack()) throw new SluiceError('MUX_ERROR', 'The video track holds no video')
  const codec = await open.track.getCodec()
  const config = await open.track.getDecoderConfig()
  if (codec === null || config === null)
    throw new SluiceError('MUX_ERROR', 'The video has no decoder settings')
  const source = new EncodedVideoPacketSource(codec)
  output.addVideoTrack(source, { rotation: await open.track.getRotation() })
  return (packet) => source.add(packet, { decoderConfig: config })
}

async function addAudio(output: Output, open: OpenTrack): Promise<(packet: EncodedPacket) => Promise<void>> {
  if (!open.track.isAudioTrack()) throw new SluiceError('MUX_ERROR', 'The audio track holds no audio')
  const codec = await open.track.getCodec()
  const config = await open.track.getDecoderConfig()
  if (codec === null || config === null)
    throw new SluiceError('MUX_ERROR', 'The audio has no decoder settings')
  const source = new EncodedAudioPacketSource(codec)
  output.addAudioTrack(source, { languageCode: await open.track.getLanguageCode() })
  return (packet) => source.add(packet, { decoderConfig: config })
}

async function laneOf(output: Output, open: OpenTrack): Promise<Lane> {
  const write = open.kind === 'video' ? await addVideo(output, open) : await addAudio(output, open)
  const packets = new EncodedPacketSink(open.track).packets()
  const lane: Lane = {
    next: null,
    advance: async () => {
      const { value } = await packets.next()
      lane.next = value ?? null
    },
    write,
  }
  return lane
}

function earliest(lanes: readonly Lane[]): { lane: Lane; packet: EncodedPacket } | null {
  let found: { lane: Lane; packet: EncodedPacket } | null = null
  for (const lane of lanes) {
    const packet = lane.next
    if (packet !== null && (found === null || packet.timestamp < found.packet.timestamp))
      found = { lane, packet }
  }
  return found
}

async function copyPackets(output: Output, lanes: readonly Lane[], job: MuxJob): Promise<void> {
  const end = Math.max(...job.tracks.map((open) => open.duration))
  // a container's time starts at zero: priming before it shifts all tracks alike, so that they stay in step
  const shift = Math.max(0, -Math.min(...job.tracks.map((open) => open.firstTimestamp)))
  await output.start()
  for (const lane of lanes) await lane.advance()
  for (let at = earliest(lanes); at !== null; at = earliest(lanes)) {
    if (job.context.signal.aborted) throw new Stopped()
    const { lane, packet } = at
    await lane.write(shift === 0 ? packet : packet.clone({ timestamp: packet.timestamp + shift }))
    job.onProgress(Math.min(1, Math.max(0, packet.timestamp / end)))
    await lane.advance()
  }
  await output.finalize()
}

export const embeddedMuxer: Muxer = async (job) => {
  const output = new Output({ format: formats[job.container](), target: new FilePathTarget(job.to) })
  try {
    const lanes: Lane[] = []
    for (const open of job.tracks) lanes.push(await laneOf(output, open))
    await copyPackets(output, lanes, job)
  } catch (error) {
    if (output.state !== 'finalized') await output.cancel()
    if (error instanceof Stopped || error instanceof SluiceError) throw error
    if (error instanceof Error && 'errno' in error) throw error
    throw new SluiceError('MUX_ERROR', `The tracks could not be joined into ${job.container}`, {
      cause: error,
    })
  }
}

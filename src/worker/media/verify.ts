/**
 * The result of a mux is opened again as a stranger would: the streams that were asked for, as long as the
 * tracks were, timestamps that rise, a start that can be decoded. Only then does it deserve its name.
 */
import { ALL_FORMATS, EncodedPacketSink, FilePathSource, Input } from 'mediabunny'
import type { InputTrack } from 'mediabunny'
import { SluiceError } from '../../shared/errors.ts'
import type { OpenTrack } from './open-tracks.ts'

/** Seconds by which a stream may differ from its track: 1 s or 1 %, whichever is more. */
export function durationTolerance(seconds: number): number {
  return Math.max(1, seconds * 0.01)
}

async function verifyStream(stream: InputTrack, from: OpenTrack): Promise<void> {
  const sink = new EncodedPacketSink(stream)
  const first = await sink.getFirstPacket({ metadataOnly: true })
  if (first === null) throw new SluiceError('MUX_ERROR', `The ${from.kind} of the result is empty`)
  if (first.type !== 'key')
    throw new SluiceError('MUX_ERROR', `The ${from.kind} of the result cannot be decoded`)
  let lastKey = Number.NEGATIVE_INFINITY
  for await (const packet of sink.packets(undefined, undefined, { metadataOnly: true })) {
    // pictures may be shown in another order than they are coded; those that stand alone may not
    if (packet.type !== 'key') continue
    if (packet.timestamp < lastKey) {
      throw new SluiceError('MUX_ERROR', `The timestamps of the ${from.kind} go backwards`)
    }
    lastKey = packet.timestamp
  }
  const duration = await stream.computeDuration({ metadataOnly: true })
  if (Math.abs(duration - from.duration) > durationTolerance(from.duration)) {
    throw new SluiceError('DURATION_MISMATCH', `The ${from.kind} of the result is not as long as its track`, {
      details: { seconds: Math.round(duration), expectedSeconds: Math.round(from.duration) },
    })
  }
}

/** @throws SluiceError `MUX_ERROR`, or `DURATION_MISMATCH` for what a person should look at */
export async function verifyMuxed(path: string, tracks: readonly OpenTrack[]): Promise<void> {
  const input = new Input({
    formats: ALL_FORMATS,
    source: new FilePathSource(path, { maxCacheSize: 4 << 20 }),
  })
  try {
    const streams = await input.getTracks()
    if (streams.length !== tracks.length) {
      throw new SluiceError('MUX_ERROR', 'The result does not hold the streams that were asked for')
    }
    for (const [index, from] of tracks.entries()) {
      const ofKind = streams.filter((stream) => stream.type === from.kind)
      const place = tracks.slice(0, index).filter((other) => other.kind === from.kind).length
      const stream = ofKind[place]
      if (stream === undefined || (await stream.getCodec()) !== from.codec) {
        throw new SluiceError('MUX_ERROR', `The result does not hold the ${from.kind} that was asked for`)
      }
      await verifyStream(stream, from)
    }
  } catch (error) {
    if (error instanceof SluiceError) throw error
    throw new SluiceError('MUX_ERROR', 'The result cannot be read back', { cause: error })
  } finally {
    input.dispose()
  }
}

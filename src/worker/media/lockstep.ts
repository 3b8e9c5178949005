/**
 * Packets of several tracks in one order, by their timestamps: what lies side by side in a file is read once, and
 * at most one packet of each track is held.
 */
import { EncodedPacketSink } from 'mediabunny'
import type { EncodedPacket, InputTrack } from 'mediabunny'

interface Lane {
  index: number
  packets: AsyncIterator<EncodedPacket, void>
  next: EncodedPacket | null
}

async function advance(lane: Lane): Promise<void> {
  const { value } = await lane.packets.next()
  lane.next = value ?? null
}

function earliest(lanes: readonly Lane[]): { lane: Lane; packet: EncodedPacket } | null {
  let found: { lane: Lane; packet: EncodedPacket } | null = null
  for (const lane of lanes) {
    const packet = lane.next
    if (packet === null) continue
    if (found === null || packet.timestamp < found.packet.timestamp) found = { lane, packet }
  }
  return found
}

/** Yields each packet with the position of its track; `withData` tells whether its bytes are read too. */
export async function* lockstep(
  tracks: readonly InputTrack[],
  options: { withData: boolean },
): AsyncGenerator<{ index: number; packet: EncodedPacket }> {
  const retrieval = { metadataOnly: !options.withData }
  const lanes = tracks.map((track, index): Lane => {
    const packets = new EncodedPacketSink(track).packets(undefined, undefined, retrieval)
    return { index, packets, next: null }
  })
  try {
    for (const lane of lanes) await advance(lane)
    for (let at = earliest(lanes); at !== null; at = earliest(lanes)) {
      yield { index: at.lane.index, packet: at.packet }
      await advance(at.lane)
    }
  } finally {
    for (const lane of lanes) await lane.packets.return?.()
  }
}

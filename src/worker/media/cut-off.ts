/**
 * Whether a media file ends in the middle of something. Demuxers are forgiving: they drop what is incomplete and
 * report a shorter track, so that a file that was cut off would come out as a short one without a word. ISO media
 * (ISO/IEC 14496-12 section 4.2) and Matroska (RFC 8794 sections 4 to 6) say in front how long each part is.
 */
import type { FileHandle } from 'node:fs/promises'

/** A part of a file: its head and how far it reaches; `end` is null when it does not say. */
interface Part {
  bodyStart: number
  end: number | null
  id: number
}

type ReadPart = (bytes: Buffer, at: number) => Part | null

const headBytes = 16
const ebmlHead = 0x1a45dfa3
const segment = 0x18538067
const isoTypes = new Set(['ftyp', 'styp', 'moov', 'moof', 'mdat', 'free', 'skip', 'wide', 'sidx', 'pdin'])

function isoBox(bytes: Buffer, at: number): Part | null {
  if (bytes.length < 8 || !/^[\x20-\x7e\xa9]{4}$/.test(bytes.toString('latin1', 4, 8))) return null
  const short = bytes.readUInt32BE(0)
  const id = bytes.readUInt32BE(4)
  if (short === 0) return { bodyStart: at + 8, end: null, id }
  if (short !== 1) return short < 8 ? null : { bodyStart: at + 8, end: at + short, id }
  if (bytes.length < 16) return null
  const long = Number(bytes.readBigUInt64BE(8))
  // less than its own head would lead round in circles
  return long < 16 ? null : { bodyStart: at + 16, end: at + long, id }
}

/** Length in bytes of an EBML number, told by the leading zeros of its first byte; null when it is none. */
function numberLength(bytes: Buffer, at: number, most: number): number | null {
  const first = bytes[at]
  if (first === undefined || first === 0) return null
  const length = Math.clz32(first) - 23
  return length > most || at + length > bytes.length ? null : length
}

function ebmlElement(bytes: Buffer, at: number): Part | null {
  const idLength = numberLength(bytes, 0, 4)
  if (idLength === null) return null
  const sizeLength = numberLength(bytes, idLength, 8)
  if (sizeLength === null) return null
  const id = bytes.readUIntBE(0, idLength)
  const bodyStart = at + idLength + sizeLength
  let size = BigInt(bytes[idLength] ?? 0) & ((1n << BigInt(8 - sizeLength)) - 1n)
  for (const byte of bytes.subarray(idLength + 1, idLength + sizeLength)) size = (size << 8n) | BigInt(byte)
  const unknown = (1n << BigInt(7 * sizeLength)) - 1n
  return { bodyStart, end: size === unknown ? null : bodyStart + Number(size), id }
}

function readerFor(head: Buffer): ReadPart | null {
  if (head.length >= 8 && isoTypes.has(head.toString('latin1', 4, 8))) return isoBox
  return head.length >= 4 && head.readUInt32BE(0) === ebmlHead ? ebmlElement : null
}

/**
 * True when the file is of a kind that tells and its last part is not whole. False says nothing. Rejects with the
 * errno of the disk.
 */
export async function isCutOff(handle: FileHandle): Promise<boolean> {
  const { size } = await handle.stat()
  const buffer = Buffer.alloc(headBytes)
  const headAt = async (at: number): Promise<Buffer> => {
    const { bytesRead } = await handle.read(buffer, 0, headBytes, at)
    return buffer.subarray(0, bytesRead)
  }
  const read = readerFor(await headAt(0))
  if (read === null) return false
  for (let at = 0; at < size;) {
    const part = read(await headAt(at), at)
    // padding, rubbish behind the end, or a part that is as long as the file
    if (part === null) return false
    if (part.end !== null && part.end > size) return true
    // a segment of a recording does not know its length; the clusters in it may
    if (part.end === null && part.id !== segment) return false
    at = part.end ?? part.bodyStart
  }
  return false
}

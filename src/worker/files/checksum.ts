/** Checksums of whole files, given as `algorithm:hex`. */
import { open } from 'node:fs/promises'
import { SluiceError } from '../../shared/errors.ts'
import { storageTrouble } from '../transfer/trouble.ts'

const algorithms: Readonly<Record<string, { name: string; hexLength: number }>> = {
  md5: { name: 'md5', hexLength: 32 },
  sha1: { name: 'sha1', hexLength: 40 },
  'sha-1': { name: 'sha1', hexLength: 40 },
  sha256: { name: 'sha256', hexLength: 64 },
  'sha-256': { name: 'sha256', hexLength: 64 },
  sha384: { name: 'sha384', hexLength: 96 },
  'sha-384': { name: 'sha384', hexLength: 96 },
  sha512: { name: 'sha512', hexLength: 128 },
  'sha-512': { name: 'sha512', hexLength: 128 },
}

/** Reads `algorithm:hex`. Throws `INVALID_INPUT` for what is not a checksum. */
export function parseChecksum(text: string): { algorithm: string; hex: string } {
  const [name = '', hex = ''] = text.trim().toLowerCase().split(':')
  const algorithm = algorithms[name]
  if (algorithm === undefined || hex.length !== algorithm.hexLength || !/^[0-9a-f]+$/.test(hex)) {
    throw new SluiceError('INVALID_INPUT', 'The checksum cannot be used', {
      hint: 'Give it as algorithm:hex, for example sha256:… with 64 digits.',
    })
  }
  return { algorithm: algorithm.name, hex }
}

/**
 * null when the file has the checksum, else `CHECKSUM_MISMATCH`. `known`: its digest when that was computed already.
 * Throws the signal's reason or a storage trouble.
 */
export async function verifyChecksum(
  path: string,
  expected: string,
  signal: AbortSignal,
  known: string | null = null,
): Promise<SluiceError | null> {
  const { algorithm, hex } = parseChecksum(expected)
  const actual = known ?? (await hashFile(path, algorithm, signal))
  if (actual === hex) return null
  return new SluiceError('CHECKSUM_MISMATCH', 'The file does not have the expected checksum', {
    details: { algorithm, expected: hex, actual },
  })
}

async function hashFile(path: string, algorithm: string, signal: AbortSignal): Promise<string> {
  // loaded for those who need it: it is a tenth of what a worker takes to start
  const { createHash } = await import('node:crypto')
  const hash = createHash(algorithm)
  try {
    const handle = await open(path)
    try {
      const buffer = Buffer.allocUnsafe(1024 * 1024)
      for (;;) {
        signal.throwIfAborted()
        const { bytesRead } = await handle.read(buffer, 0, buffer.length)
        if (bytesRead === 0) return hash.digest('hex')
        hash.update(buffer.subarray(0, bytesRead))
      }
    } finally {
      await handle.close()
    }
  } catch (thrown) {
    signal.throwIfAborted()
    throw storageTrouble(thrown, path)
  }
}

import { randomBytes } from 'node:crypto'
import type { Random } from '../core/ports.ts'

const idBytes = 12
/** ids whose bytes are asked of the system at once */
const idsAtOnce = 128

/** Ids are 96 bits from the system's generator, in hexadecimal: safe in paths on case-insensitive disks. */
export class CryptoRandom implements Random {
  #bytes = Buffer.alloc(0)

  id(): string {
    if (this.#bytes.length === 0) this.#bytes = randomBytes(idBytes * idsAtOnce)
    const id = this.#bytes.toString('hex', 0, idBytes)
    this.#bytes = this.#bytes.subarray(idBytes)
    return id
  }

  fraction(): number {
    return randomBytes(6).readUIntBE(0, 6) / 2 ** 48
  }
}

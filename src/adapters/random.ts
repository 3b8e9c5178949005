import { randomBytes } from 'node:crypto'
import type { Random } from '../core/ports.ts'

/** of the number that each id begins with: so many digits of an id are shown on the command line, and name one task */
const numberDigits = 8
const numbers = 16 ** numberDigits
const chanceBytes = 8
/** ids whose bytes are asked of the system at once */
const idsAtOnce = 128

/**
 * Ids are a number, counted up from anywhere in each life, and 64 bits from the system's generator, in hexadecimal:
 * safe in paths on case-insensitive disks. Since they rise, what is made and used together lies together in every
 * index of the database: a commit for several tasks writes far fewer pages than with ids of chance alone.
 */
export class CryptoRandom implements Random {
  #number = randomBytes(numberDigits / 2).readUIntBE(0, numberDigits / 2)
  #bytes = Buffer.alloc(0)

  id(): string {
    if (this.#bytes.length === 0) this.#bytes = randomBytes(chanceBytes * idsAtOnce)
    const chance = this.#bytes.toString('hex', 0, chanceBytes)
    this.#bytes = this.#bytes.subarray(chanceBytes)
    this.#number = (this.#number + 1) % numbers
    return this.#number.toString(16).padStart(numberDigits, '0') + chance
  }

  fraction(): number {
    return randomBytes(6).readUIntBE(0, 6) / 2 ** 48
  }
}

import { randomBytes } from 'node:crypto'
import type { Random } from '../core/ports.ts'

/** Ids are 96 bits from the system's generator, in hexadecimal: safe in paths on case-insensitive disks. */
export class CryptoRandom implements Random {
  id(): string {
    return randomBytes(12).toString('hex')
  }

  fraction(): number {
    return randomBytes(6).readUIntBE(0, 6) / 2 ** 48
  }
}

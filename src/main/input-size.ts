/** A bound on what a page may send, checked before anything walks through the value in earnest. */

/** What a value may weigh: characters of its texts plus a little for each part of it. */
export const maxInputWeight = 16 * 1024 * 1024
const weightOfPart = 8

/** Whether the value, which may contain itself, weighs more than `limit`. */
export function isHeavierThan(limit: number, value: unknown): boolean {
  const open: unknown[] = [value]
  let weight = 0
  while (open.length > 0) {
    const part = open.pop()
    weight += weightOfPart + (typeof part === 'string' ? part.length : 0)
    if (weight > limit) return true
    if (ArrayBuffer.isView(part) || part instanceof ArrayBuffer) weight += part.byteLength
    else if (part instanceof Map || part instanceof Set) open.push(...part)
    else if (typeof part === 'object' && part !== null) {
      for (const [key, inner] of Object.entries(part)) {
        weight += key.length
        open.push(inner)
      }
    }
  }
  return weight > limit
}

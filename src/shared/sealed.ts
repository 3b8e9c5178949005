/** Sealed secrets, as they are stored: the prefix names the format, so that another one can be told apart later. */
export const sealedPrefix = 'sealed1.'

/** In memory only a secret whose key is gone is still sealed: it is kept for the day that brings the key back. */
export function isSealed(value: string): boolean {
  return value.startsWith(sealedPrefix)
}

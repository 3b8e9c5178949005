/**
 * The pseudo-locale: English made longer and accented, so that a string outside the catalogues, a clipped label or
 * a layout that only works from left to right is seen at once. Shown from right to left.
 */
import type { Catalogue } from './catalogue.ts'

const accents: Readonly<Record<string, string>> = {
  a: 'á',
  b: 'ƀ',
  c: 'ç',
  d: 'ð',
  e: 'é',
  f: 'ƒ',
  g: 'ĝ',
  h: 'ĥ',
  i: 'î',
  j: 'ĵ',
  k: 'ķ',
  l: 'ļ',
  m: 'ɱ',
  n: 'ñ',
  o: 'ó',
  p: 'þ',
  q: 'ǫ',
  r: 'ŕ',
  s: 'š',
  t: 'ţ',
  u: 'û',
  v: 'ṽ',
  w: 'ŵ',
  x: 'ẋ',
  y: 'ý',
  z: 'ž',
  A: 'Å',
  B: 'Ɓ',
  C: 'Ç',
  D: 'Ð',
  E: 'É',
  F: 'Ƒ',
  G: 'Ĝ',
  H: 'Ĥ',
  I: 'Î',
  J: 'Ĵ',
  K: 'Ķ',
  L: 'Ļ',
  M: 'Ṁ',
  N: 'Ñ',
  O: 'Ó',
  P: 'Þ',
  Q: 'Ǫ',
  R: 'Ŕ',
  S: 'Š',
  T: 'Ţ',
  U: 'Û',
  V: 'Ṽ',
  W: 'Ŵ',
  X: 'Ẋ',
  Y: 'Ý',
  Z: 'Ž',
}
const vowel = /[aeiou]/i

/** One message in the pseudo-locale; placeholders stay as they are, vowels are doubled (about 40 % longer). */
export function pseudoMessage(message: string): string {
  const long = message
    .split(/(\{\{[^}]*\}\})/)
    .map((part) => {
      if (part.startsWith('{{')) return part
      return Array.from(part, (character) => {
        const accented = accents[character] ?? character
        return vowel.test(character) ? accented + accented.toLowerCase() : accented
      }).join('')
    })
    .join('')
  return `[${long}]`
}

export function pseudoCatalogue(english: Catalogue): Catalogue {
  return Object.fromEntries(Object.entries(english).map(([key, message]) => [key, pseudoMessage(message)]))
}

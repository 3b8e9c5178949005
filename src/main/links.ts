/**
 * Links that reach the app from outside: as arguments of this or of a second start, or through the `sluice:`
 * protocol (`sluice:https://host/file`). Only links are read, never options: a web page can write these.
 */
import { maxLinkLength } from '../shared/link.ts'

const maxLinks = 10_000
const ownProtocol = /^sluice:(?:\/\/)?/i
const webLink = /^https?:\/\//i

/** The web links among these arguments, in order, as they were written. */
export function linksAmong(args: readonly string[]): string[] {
  return args
    .map((argument) => argument.replace(ownProtocol, ''))
    .filter((argument) => webLink.test(argument) && argument.length <= maxLinkLength)
    .slice(0, maxLinks)
}

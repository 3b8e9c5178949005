/** The file behind `-i`: one link per line; empty lines and lines that begin with # are passed over. */
import { readFileSync } from 'node:fs'
import { SluiceError } from '../shared/errors.ts'

const hint = 'Give a text file with one link per line.'

/**
 * @param path `-` is standard input
 * @throws SluiceError `INVALID_INPUT` when it cannot be read or holds nothing
 */
export function linksOfFile(path: string): string[] {
  let text: string
  try {
    text = readFileSync(path === '-' ? 0 : path, 'utf8')
  } catch (cause) {
    throw new SluiceError('INVALID_INPUT', `The list "${path}" cannot be read`, { hint, cause })
  }
  const links = text
    // written by programs that put a byte order mark before the first link
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
  if (links.length === 0) throw new SluiceError('INVALID_INPUT', `The list "${path}" holds no link`, { hint })
  return links
}

/** What is typed into the add dialog, as the command it becomes. Pure. */
import type { AddOptions, CommandInput } from '../../../shared/contract/commands.ts'
import { expandLinkPattern } from '../../../shared/link-patterns.ts'
import type { Headers } from '../../../shared/task/resource.ts'

export interface AddDraft {
  readonly kind: 'links' | 'pair'
  readonly links: string
  /** links that were pasted in a number which no field shows and edits without a halt: they are kept beside it */
  readonly held: readonly string[]
  readonly video: string
  readonly audio: string
  readonly folder: string
  readonly name: string
  readonly startsLater: boolean
  readonly headers: string
  readonly goesFirst: boolean
}

/** The dialog as it opens. */
export function emptyDraft(links: string, folder: string): AddDraft {
  const words = wordsIn(links)
  const isHeld = words.length > mostLinksInField
  return {
    kind: 'links',
    links: isHeld ? '' : links,
    held: isHeld ? words : [],
    video: '',
    audio: '',
    folder,
    name: '',
    startsLater: false,
    headers: '',
    goesFirst: false,
  }
}

/** Lines that a field still lays out between two frames. */
const mostLinksInField = 500

/** What is typed for one link each. A line without a link in it is one slip, however many words it has. */
function wordsIn(text: string): string[] {
  return text
    .split('\n')
    .flatMap((line) => (line.includes('://') ? line.split(/\s+/) : [line.trim()]))
    .filter((word) => word !== '')
}

/** What is pasted in such numbers is held beside the field, as it is: a list has no ranges. Null: the field takes it. */
export function heldFrom(pasted: string): readonly string[] | null {
  // most of what is typed is a letter long
  if (pasted.length <= mostLinksInField) return null
  const words = wordsIn(pasted)
  return words.length > mostLinksInField ? words : null
}

/** The draft with these links alone in it, wherever they have room. */
export function withLinks(draft: AddDraft, links: readonly string[]): AddDraft {
  const { links: text, held } = emptyDraft(links.join('\n'), '')
  return { ...draft, links: text, held }
}

/** Links of one command: each is one transaction, and its answer is read between two frames. */
const linksPerCommand = 500
/** Characters of one command, at most: with three bytes each they stay below the largest message of a server. */
const charactersPerCommand = 300_000

/** Links of one draft, at most: more than that is sooner a slip of a pattern than a wish. */
export const mostLinks = 100_000

/** A numbered range in what was typed (`part[01-20].zip`), and the links that it stands for. */
export interface TypedPattern {
  readonly text: string
  readonly count: number
  readonly first: string
  readonly last: string
}

export interface TypedLinks {
  /** each once, in order, patterns written out */
  readonly links: readonly string[]
  readonly patterns: readonly TypedPattern[]
  /** a pattern that stands for nothing or for too many links, or too many links in all; then `links` is not whole */
  readonly fault: 'pattern' | 'too-many' | null
}

/** One link a line, or several with spaces between. */
export function linksIn(text: string): TypedLinks {
  const links = new Set<string>()
  const patterns: TypedPattern[] = []
  const answer = (fault: TypedLinks['fault']): TypedLinks => ({ links: [...links], patterns, fault })
  for (const typed of wordsIn(text)) {
    const written = writtenOut(typed)
    if (written === null) return answer('pattern')
    const [first = typed] = written
    if (first !== typed) {
      patterns.push({ text: typed, count: written.length, first, last: written.at(-1) ?? first })
    }
    for (const link of written) links.add(link)
    if (links.size > mostLinks) return answer('too-many')
  }
  return answer(null)
}

/** The links that one typed word stands for; null for a pattern that cannot be written out. */
function writtenOut(typed: string): string[] | null {
  // ten thousand pasted links have no pattern in them: they are not looked through for one
  if (!typed.includes('[')) return [typed]
  try {
    return expandLinkPattern(typed)
  } catch {
    return null
  }
}

/** Headers from lines of `Name: value`; the numbers (from 1) of the lines that are none. */
export function headersIn(text: string): { headers: Headers; wrongLines: number[] } {
  const headers: Headers = []
  const wrongLines: number[] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const match = /^\s*([!#$%&'*+\-.^_`|~0-9A-Za-z]+)\s*:\s*(.*)$/.exec(line)
    if (match?.[1] === undefined || match[2] === undefined) wrongLines.push(index + 1)
    else headers.push([match[1], match[2].trim()])
  }
  return { headers, wrongLines }
}

/** All links of a draft, each once: those of the field, then those beside it. */
export function allLinks(typed: TypedLinks, held: readonly string[]): readonly string[] {
  return held.length === 0 ? typed.links : [...new Set([...typed.links, ...held])]
}

/** How many tasks the draft makes; `links` are all of its links. */
export function taskCount(draft: AddDraft, links: readonly string[]): number {
  if (draft.kind === 'pair') return draft.video.trim() !== '' && draft.audio.trim() !== '' ? 1 : 0
  return links.length
}

/**
 * The commands of a draft: one for a pair, one or more for links. `links` are all of its links; `defaultFolder`
 * needs no mention. They are to be sent in this order.
 */
export function commandsOf(
  draft: AddDraft,
  links: readonly string[],
  defaultFolder: string,
): CommandInput<'tasks.add'>[] {
  const { headers } = headersIn(draft.headers)
  const folder = draft.folder.trim()
  const isOne = taskCount(draft, links) === 1
  const options: AddOptions = {
    ...(folder === '' || folder === defaultFolder ? {} : { folder }),
    ...(isOne && draft.name.trim() !== '' ? { name: draft.name.trim() } : {}),
    ...(headers.length === 0 ? {} : { headers }),
    ...(draft.startsLater ? { startPaused: true } : {}),
    ...(draft.goesFirst ? { priority: 'front' as const } : {}),
  }
  if (draft.kind === 'pair') {
    return [{ pair: { video: draft.video.trim(), audio: draft.audio.trim() }, options }]
  }
  const parts = partsOf(links)
  // each goes before those that went to the front earlier
  if (draft.goesFirst) parts.reverse()
  return parts.map((part) => ({ links: part, options }))
}

/** Links in as many parts as commands are needed. */
function partsOf(links: readonly string[]): string[][] {
  const parts: string[][] = []
  let part: string[] = []
  let characters = 0
  for (const link of links) {
    if (part.length === linksPerCommand || characters + link.length > charactersPerCommand) {
      parts.push(part)
      part = []
      characters = 0
    }
    part.push(link)
    characters += link.length
  }
  return part.length === 0 ? parts : [...parts, part]
}

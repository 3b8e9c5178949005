/** What is typed into the add dialog, as the command it becomes. Pure. */
import type { AddOptions, CommandInput } from '../../../shared/contract/commands.ts'
import type { Headers } from '../../../shared/task/model.ts'

export interface AddDraft {
  readonly kind: 'links' | 'pair'
  readonly links: string
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
  return {
    kind: 'links',
    links,
    video: '',
    audio: '',
    folder,
    name: '',
    startsLater: false,
    headers: '',
    goesFirst: false,
  }
}

/** Links of one command, at most (contract). */
const linksPerCommand = 10_000
/** Characters of one command, at most: with three bytes each they stay below the largest message of a server. */
const charactersPerCommand = 300_000

/** One link a line, or several with spaces between; each once, in order. */
export function linksIn(text: string): string[] {
  return [...new Set(text.split(/\s+/).filter((link) => link !== ''))]
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

/** How many tasks the draft makes. */
export function taskCount(draft: AddDraft): number {
  if (draft.kind === 'pair') return draft.video.trim() !== '' && draft.audio.trim() !== '' ? 1 : 0
  return linksIn(draft.links).length
}

/** The commands of a draft: one for a pair, one or more for links. `defaultFolder` needs no mention. */
export function commandsOf(draft: AddDraft, defaultFolder: string): CommandInput<'tasks.add'>[] {
  const { headers } = headersIn(draft.headers)
  const folder = draft.folder.trim()
  const isOne = taskCount(draft) === 1
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
  return partsOf(linksIn(draft.links)).map((links) => ({ links, options }))
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

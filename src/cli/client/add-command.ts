/** `sluice add`: puts downloads into the list of a running host. */
import { resolve } from 'node:path'
import type { AddOptions, CommandInput } from '../../shared/contract/commands.ts'
import type { ErrorRecord } from '../../shared/errors.ts'
import { withoutUserInfo } from '../../shared/mask-secrets.ts'
import type { Links, RawDownloadOptions } from '../download-options.ts'
import { downloadOptions, linksOf, nameOf, speedLimit, wholeNumber } from '../download-options.ts'
import { codeAfter, connectClient, sayJson, sayLine } from './client.ts'
import type { ClientOptions } from './client.ts'
import { idLengthFor } from './pick-tasks.ts'

export interface RawAddOptions extends RawDownloadOptions, ClientOptions {
  paused?: boolean
  front?: boolean
}

/** Characters of links in one call: what a host takes at once is 1 MiB. */
const charactersPerCall = 400_000
const linksPerCall = 5000

function optionsOf(raw: RawAddOptions, name: string | undefined): AddOptions {
  return {
    ...downloadOptions(raw),
    // where the command stands is nothing the host knows; whether it may save there is the host's to say
    ...(raw.dir === undefined ? {} : { folder: resolve(raw.dir) }),
    ...(name === undefined ? {} : { name }),
    ...(raw.connections === undefined ? {} : { connections: wholeNumber(raw.connections, '-x', 1, 16) }),
    ...(raw.limit === undefined ? {} : { speedLimitBytesPerSecond: speedLimit(raw.limit) }),
    ...(raw.paused === true ? { startPaused: true } : {}),
    ...(raw.front === true ? { priority: 'front' } : {}),
  }
}

function* inputsOf(links: Links, options: AddOptions): Generator<CommandInput<'tasks.add'>> {
  if (links.kind === 'pair') {
    yield { pair: { video: links.video, audio: links.audio }, options }
    return
  }
  let some: string[] = []
  let characters = 0
  for (const link of links.links) {
    if (some.length === linksPerCall || characters + link.length > charactersPerCall) {
      yield { links: some, options }
      some = []
      characters = 0
    }
    some.push(link)
    characters += link.length
  }
  yield { links: some, options }
}

/** The answer is the exit code: 1 when one of the links was refused. */
export async function runAdd(given: readonly string[], raw: RawAddOptions): Promise<number> {
  const links = linksOf(given, raw)
  const options = optionsOf(raw, nameOf(raw, links))
  const { host, json } = await connectClient(raw)
  const refused: { about: string; error: ErrorRecord }[] = []
  for (const input of inputsOf(links, options)) {
    const { results } = await host.call('tasks.add', input)
    const length = idLengthFor(results.filter((result) => result.kind === 'added'))
    for (const result of results) {
      // it may hold the password of a netrc file
      const link = withoutUserInfo(result.link)
      if (json) sayJson({ ...result, link })
      if (result.kind === 'refused') refused.push({ about: link, error: result.error })
      else if (!json) sayLine(`added: ${result.id.slice(0, length)} ${link}`)
    }
  }
  return codeAfter(refused)
}

/** The host that a task asks next, and where it listens. */
import { checkLink } from '../../shared/link.ts'
import { isComplete } from '../../shared/task/derive.ts'
import type { Task } from '../../shared/task/model.ts'
import type { Source } from '../../shared/task/resource.ts'

export interface HostAddress {
  /** `host` or `host:port`, as it is shown */
  readonly key: string
  /** name or address, without the brackets of an IPv6 one */
  readonly host: string
  readonly port: number
}

/** By the object that the URL is in, which is the same in one version of a task after another: all of them are asked often. */
const known = new WeakMap<object, HostAddress>()

function addressIn(holder: object, url: string): HostAddress {
  const held = known.get(holder)
  if (held !== undefined) return held
  const address = addressOf(url)
  known.set(holder, address)
  return address
}

function openSource(task: Task): Source | null {
  const open = task.steps.find((step) => step.input.kind === 'fetch' && !isComplete(step.state))
  return open?.input.kind === 'fetch' ? open.input.source : null
}

/** What a URL names besides the host changes nothing here; a queue has many links to few hosts. */
const byOrigin = new Map<string, HostAddress>()
const mostOrigins = 1000

function addressOf(url: string): HostAddress {
  const origin = /^https?:\/\/[^/?#\\\s]+/.exec(url)?.[0]
  if (origin === undefined) return parsedAddress(url)
  let address = byOrigin.get(origin)
  if (address === undefined) {
    address = parsedAddress(url)
    if (byOrigin.size >= mostOrigins) byOrigin.clear()
    byOrigin.set(origin, address)
  }
  return address
}

function parsedAddress(url: string): HostAddress {
  const { host } = checkLink(url)
  const port = /:(\d+)$/.exec(host)?.[1]
  const name = port === undefined ? host : host.slice(0, -port.length - 1)
  const byScheme = url.startsWith('https:') ? 443 : 80
  return {
    key: host,
    host: name.replace(/^\[(.*)\]$/, '$1'),
    port: port === undefined ? byScheme : Number(port),
  }
}

/** The host that answers in the end, where its links lead elsewhere. */
export function servingHost(task: Task): string {
  const facts = openSource(task)?.facts ?? null
  return facts === null ? hostAddress(task).key : addressIn(facts, facts.finalUrl).key
}

/** Of its first open source, else of its link. */
export function hostAddress(task: Task): HostAddress {
  const source = openSource(task)
  if (source !== null) return addressIn(source, source.url)
  const { link } = task.parameters
  return addressIn(link, link.kind === 'single' ? link.url : link.video)
}

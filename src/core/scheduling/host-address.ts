/** The host that a task asks next, and where it listens. */
import { checkLink } from '../../shared/link.ts'
import { isComplete } from '../../shared/task/derive.ts'
import type { Task } from '../../shared/task/model.ts'

export interface HostAddress {
  /** `host` or `host:port`, as it is shown */
  readonly key: string
  /** name or address, without the brackets of an IPv6 one */
  readonly host: string
  readonly port: number
}

const known = new WeakMap<Task, HostAddress>()

function urlOf(task: Task): string {
  const open = task.steps.find((step) => step.input.kind === 'fetch' && !isComplete(step.state))
  if (open?.input.kind === 'fetch') return open.input.source.url
  const { link } = task.parameters
  return link.kind === 'single' ? link.url : link.video
}

function addressOf(url: string): HostAddress {
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
  const open = task.steps.find((step) => step.input.kind === 'fetch' && !isComplete(step.state))
  const finalUrl = open?.input.kind === 'fetch' ? open.input.source.facts?.finalUrl : undefined
  return finalUrl === undefined ? hostAddress(task).key : addressOf(finalUrl).key
}

/** Of its first open source, else of its link. Kept per committed task, since the whole queue is asked often. */
export function hostAddress(task: Task): HostAddress {
  const held = known.get(task)
  if (held !== undefined) return held
  const address = addressOf(urlOf(task))
  known.set(task, address)
  return address
}

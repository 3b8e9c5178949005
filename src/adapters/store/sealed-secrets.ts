/**
 * Secret values of tasks as they are stored: sealed, wherever a task holds them. The key is only made when there is
 * something to seal. A value that cannot be opened stays sealed in memory too, and is told.
 */
import type { SecretStore } from '../../core/ports.ts'
import { SluiceError } from '../../shared/errors.ts'
import { isSecretHeader } from '../../shared/mask-secrets.ts'
import type { Plan, Request, Step, Task, TaskParameters } from '../../shared/task/model.ts'
import type { Headers } from '../../shared/task/resource.ts'
import { isSealed } from '../../shared/sealed.ts'
import type { Access } from '../../shared/task/access.ts'

type Change = (value: string) => string

/** Sealing gives another text each time; a task is written often, and what did not change must not look new. */
const mostKnown = 10_000

export class SealedSecrets {
  readonly #open: () => SecretStore
  #store: SecretStore | null = null
  readonly #known = new Map<string, string>()

  constructor(open: () => SecretStore) {
    this.#open = open
  }

  seal(task: Task): Task {
    return withSecrets(task, (value) => this.#sealed(task.id, value))
  }

  /**
   * `lost`: how many values could not be opened.
   * @throws SluiceError `STORAGE_UNAVAILABLE` when the key cannot be read
   */
  open(task: Task): { task: Task; lost: number } {
    let lost = 0
    const opened = withSecrets(task, (value) => {
      // what was stored before secrets were sealed
      if (!isSealed(value)) return value
      const plain = this.#opened(value)
      if (plain === null) lost++
      else this.#remember(task.id, plain, value)
      return plain ?? value
    })
    return { task: opened, lost }
  }

  /** Null when it was sealed by another key. */
  #opened(value: string): string | null {
    try {
      return this.#secrets().open(value)
    } catch (error) {
      if (error instanceof SluiceError && error.code === 'AUTH_FAILED') return null
      throw error
    }
  }

  #secrets(): SecretStore {
    this.#store ??= this.#open()
    return this.#store
  }

  #sealed(taskId: string, value: string): string {
    if (isSealed(value)) return value
    const known = this.#known.get(`${taskId}\n${value}`)
    if (known !== undefined) return known
    const sealed = this.#secrets().seal(value)
    this.#remember(taskId, value, sealed)
    return sealed
  }

  /** Per task: that two tasks share a secret must not show. */
  #remember(taskId: string, plain: string, sealed: string): void {
    if (this.#known.size >= mostKnown) this.#known.clear()
    this.#known.set(`${taskId}\n${plain}`, sealed)
  }
}

function ofHeaders(headers: Headers, change: Change): Headers {
  return headers.map(([name, value]) => [name, isSecretHeader(name) ? change(value) : value])
}

/** A proxy is a secret as a whole when it carries credentials. */
function ofProxy(proxy: string | null, change: Change): string | null {
  const isSecret = proxy !== null && (proxy.includes('@') || isSealed(proxy))
  return isSecret ? change(proxy) : proxy
}

function ofParameters(parameters: TaskParameters, change: Change): TaskParameters {
  return {
    ...parameters,
    headers: ofHeaders(parameters.headers, change),
    proxy: ofProxy(parameters.proxy, change),
    ...(parameters.access === undefined ? {} : { access: ofAccess(parameters.access, change) }),
  }
}

function ofAccess(access: Access, change: Change): Access {
  const { cookies } = access
  if (cookies === undefined) return access
  return { ...access, cookies: cookies.map((cookie) => ({ ...cookie, value: change(cookie.value) })) }
}

function ofInput(input: Step['input'], change: Change): Step['input'] {
  if (input.kind !== 'fetch') return input
  return { ...input, source: { ...input.source, headers: ofHeaders(input.source.headers, change) } }
}

function ofPlan(plan: Plan, change: Change): Plan {
  const files = plan.files.map((file) => ({
    ...file,
    steps: file.steps.map((step) => ({ ...step, input: ofInput(step.input, change) })),
  }))
  return { ...plan, files }
}

function ofRequest(request: Request | null, change: Change): Request | null {
  if (request?.kind !== 'edit') return request
  return {
    ...request,
    parameters: ofParameters(request.parameters, change),
    plan: request.plan === null ? null : ofPlan(request.plan, change),
  }
}

function withSecrets(task: Task, change: Change): Task {
  return {
    ...task,
    parameters: ofParameters(task.parameters, change),
    request: ofRequest(task.request, change),
    steps: task.steps.map((step) => ({ ...step, input: ofInput(step.input, change) })),
  }
}

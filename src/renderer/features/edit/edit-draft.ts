/** What is typed into the edit dialog, as the command it becomes: only what was changed is sent. Pure. */
import type { CommandInput } from '../../../shared/contract/commands.ts'
import type { TaskDetails } from '../../../shared/view.ts'
import { isMasked } from '../../rows/masked.ts'
import { headersIn } from '../add/draft.ts'

export interface EditDraft {
  /** null for a pair, whose links cannot be changed one by one */
  readonly link: string | null
  readonly name: string
  readonly folder: string
  readonly headers: string
  /** connections per resource, null is automatic */
  readonly connections: number | null
  /** megabytes per second, empty is no limit */
  readonly limit: string
  readonly keepsData: boolean
}

export type EditFault = 'link' | 'headers' | 'masked-headers' | 'limit'

const bytesPerMegabyte = 1_000_000

export function draftOf({ parameters, files }: TaskDetails): EditDraft {
  const limit = parameters.speedLimitBytesPerSecond
  return {
    link: parameters.link.kind === 'single' ? parameters.link.url : null,
    name: parameters.name ?? (files.length === 1 ? (files[0]?.name ?? '') : ''),
    folder: parameters.folder,
    headers: parameters.headers.map(([name, value]) => `${name}: ${value}`).join('\n'),
    connections: parameters.connections,
    limit: limit === null ? '' : String(limit / bytesPerMegabyte),
    keepsData: true,
  }
}

/** Bytes per second of a typed limit: null is none, undefined is no number. */
export function limitIn(text: string): number | null | undefined {
  if (text.trim() === '') return null
  const value = Number(text.trim().replace(',', '.'))
  return Number.isFinite(value) && value > 0 ? Math.round(value * bytesPerMegabyte) : undefined
}

/** What keeps the draft from being saved. Masked links and headers may stay as they are, but not be changed in part. */
export function faultsOf(draft: EditDraft, before: EditDraft): EditFault[] {
  const faults: EditFault[] = []
  if (
    draft.link !== null &&
    draft.link !== before.link &&
    (draft.link.trim() === '' || isMasked(draft.link))
  ) {
    faults.push('link')
  }
  if (draft.headers !== before.headers) {
    if (headersIn(draft.headers).wrongLines.length > 0) faults.push('headers')
    else if (isMasked(draft.headers)) faults.push('masked-headers')
  }
  if (limitIn(draft.limit) === undefined) faults.push('limit')
  return faults
}

export function editOf(
  id: string,
  draft: EditDraft,
  before: EditDraft,
  startAfterEdit: boolean,
): CommandInput<'tasks.edit'> {
  const name = draft.name.trim()
  const limit = limitIn(draft.limit)
  return {
    id,
    ...(draft.link !== null && draft.link !== before.link ? { link: draft.link.trim() } : {}),
    ...(name !== '' && name !== before.name ? { name } : {}),
    ...(draft.folder !== before.folder ? { folder: draft.folder.trim() } : {}),
    ...(draft.headers !== before.headers ? { headers: headersIn(draft.headers).headers } : {}),
    ...(draft.connections !== before.connections ? { connections: draft.connections } : {}),
    ...(draft.limit !== before.limit && limit !== undefined ? { speedLimitBytesPerSecond: limit } : {}),
    deleteFiles: !draft.keepsData,
    startAfterEdit,
  }
}

/**
 * The task service as clients over the network see it: whatever the transport (RPC, WebSocket, REST), folders are
 * confined to the download roots, programs of this machine cannot be named, and the machine itself is left alone.
 */
import type { Client, SendEvent, TaskService } from '../core/service.ts'
import type { Answer } from '../shared/contract/bridge.ts'
import { commands } from '../shared/contract/commands.ts'
import { SluiceError, toErrorRecord } from '../shared/errors.ts'
import { localOnlySettings } from '../shared/settings.ts'
import type { FolderRules } from './folder-rules.ts'

export type ConnectClient = (send: SendEvent) => Client

export function networkClients(service: Pick<TaskService, 'connect'>, folders: FolderRules): ConnectClient {
  return (send) => {
    const client = service.connect(send)
    return {
      call: async (name, input): Promise<Answer<unknown>> => {
        try {
          return await client.call(name, await confined(name, input, folders))
        } catch (thrown) {
          return { ok: false, error: toErrorRecord(thrown) }
        }
      },
      watchList: (query) => client.watchList(query),
      close: () => client.close(),
    }
  }
}

/** The input with its folders made absolute. What does not fit its schema is left for the core to refuse. */
async function confined(name: string, input: unknown, folders: FolderRules): Promise<unknown> {
  switch (name) {
    case 'tasks.add': {
      const add = commands['tasks.add'].input.safeParse(input)
      if (!add.success || add.data.options?.folder === undefined) return input
      const folder = await folders.confine(add.data.options.folder)
      return { ...add.data, options: { ...add.data.options, folder } }
    }
    case 'tasks.edit': {
      const edit = commands['tasks.edit'].input.safeParse(input)
      if (!edit.success || edit.data.folder === undefined) return input
      return { ...edit.data, folder: await folders.confine(edit.data.folder) }
    }
    case 'settings.set': {
      const patch = commands['settings.set'].input.safeParse(input)
      if (!patch.success) return input
      const local = localOnlySettings.find((key) => patch.data[key] !== undefined)
      if (local !== undefined) {
        throw new SluiceError('FORBIDDEN', `The setting ${local} cannot be changed over the network`, {
          hint: 'Change it on the machine that the host runs on.',
          details: { setting: local },
        })
      }
      if (patch.data.downloadFolder === undefined) return input
      return { ...patch.data, downloadFolder: await folders.confine(patch.data.downloadFolder) }
    }
    case 'power.set': {
      const wish = commands['power.set'].input.safeParse(input)
      if (!wish.success || wish.data.action === 'none') return input
      throw new SluiceError('FORBIDDEN', 'What the machine does afterwards cannot be set over the network', {
        hint: 'Set it in the app, on the machine itself.',
      })
    }
    default:
      return input
  }
}

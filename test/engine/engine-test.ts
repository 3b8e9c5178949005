/** `it` with a fault server and a rig, both fresh and closed afterwards. */
import { test } from 'vitest'
import { FaultServer } from '../fault-server/fault-server.ts'
import { Rig } from './harness.ts'

export const it = test.extend<{ server: FaultServer; rig: Rig }>({
  server: async ({}, use) => {
    const server = await FaultServer.start()
    await use(server)
    await server.close()
  },
  rig: async ({}, use) => {
    const rig = await Rig.create()
    await use(rig)
    await rig.close()
  },
})

export const MiB = 1024 * 1024

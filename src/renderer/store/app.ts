/** The window's one object: its store, and all that the user can make it do. Made once, given to React by context. */
import type { Answer, Bridge } from '../../shared/contract/bridge.ts'
import type { SettingsPatch } from '../../shared/settings.ts'
import type { Host } from '../client/host.ts'
import type { Layer, Message } from './app-state.ts'
import { createAppStore } from './app-store.ts'
import type { AppStore } from './app-store.ts'
import { createListWatch } from './list-watch.ts'
import type { ListWatch } from './list-watch.ts'
import { noticeMessage } from './notices.ts'
import { Operations } from './operations.ts'
import { followSpeed } from './speed-history.ts'
import { createMessages } from './messages.ts'
import type { Messages } from './messages.ts'

export interface App {
  readonly bridge: Bridge
  readonly store: AppStore
  readonly list: ListWatch
  readonly operations: Operations
  readonly messages: Messages
  open(layer: Layer): void
  closeLayer(): void
  setSettings(patch: SettingsPatch): Promise<Answer<unknown>>
  /** Gives a server its secret; the answer comes as a state of the connection. */
  signIn(secret: string): void
  reconnect(): void
}

export interface AppOptions {
  readonly host: Host
  readonly storage: Storage
  readonly now: () => number
}

export function createApp({ host, storage, now }: AppOptions): App {
  const { bridge } = host
  const store = createAppStore(storage)
  const list = createListWatch(bridge, store)
  const messages = createMessages(store)
  const operations = new Operations({ bridge, store, list, messages, now })

  const begin = async (): Promise<void> => {
    list.connected()
    const [info, settings] = await Promise.all([bridge.call('app.info', {}), bridge.call('settings.get', {})])
    if (info.ok) store.setState({ info: info.value })
    if (settings.ok) takeSettings(settings.value)
  }
  const takeSettings = (settings: NonNullable<ReturnType<AppStore['getState']>['settings']>): void => {
    const limit = settings.speedLimitBytesPerSecond
    store.setState({ settings, ...(limit > 0 ? { limitWhenOn: limit } : {}) })
  }

  bridge.on('settings.changed', takeSettings)
  followSpeed(bridge, store)
  bridge.on('notice', (notice) => {
    const { message, isToast } = noticeMessage(notice)
    messages.announce(message, notice.error)
    if (isToast)
      messages.toast({ tone: notice.error === null ? 'completed' : 'failed', message, error: notice.error })
  })
  bridge.on('links.offered', ({ links }) =>
    store.setState({ layer: { kind: 'add', links: links.join('\n') } }),
  )
  bridge.onConnection((isConnected) => {
    if (!isConnected) {
      store.setState((state) => (state.connection.kind === 'open' ? { connection: { kind: 'lost' } } : state))
      return
    }
    const wasLost = store.getState().connection.kind === 'lost'
    store.setState({ connection: { kind: 'open' } })
    if (wasLost) messages.announce(restored, null)
    void begin()
  })

  connectTo(host, store, begin)

  return {
    bridge,
    store,
    list,
    operations,
    messages,
    open: (layer) => store.setState({ layer }),
    closeLayer: () => store.setState({ layer: null }),
    setSettings: async (patch) => {
      const answer = await bridge.call('settings.set', patch)
      if (answer.ok) takeSettings(answer.value)
      else messages.refused(answer.error)
      return answer
    },
    signIn: (secret) => {
      if (host.kind !== 'server') return
      store.setState({ connection: { kind: 'connecting' } })
      host.bridge.connect(secret)
    },
    reconnect: () => {
      if (host.kind === 'server') host.bridge.retryNow()
    },
  }
}

/** How long a first connection may take before the window says that there is none. */
const patienceMs = 2000

const restored: Message = { key: 'connection.restored' }

function connectTo(host: Host, store: AppStore, begin: () => Promise<void>): void {
  if (host.kind === 'desktop') {
    store.setState({ connection: { kind: 'open' } })
    void begin()
    return
  }
  host.bridge.onRefused((error) => store.setState({ connection: { kind: 'signed-out', error } }))
  // a host that cannot be reached at all is as lost as one that went away
  setTimeout(() => {
    store.setState((state) =>
      state.connection.kind === 'connecting' ? { connection: { kind: 'lost' } } : state,
    )
  }, patienceMs)
  if (host.secret === null) store.setState({ connection: { kind: 'signed-out', error: null } })
  else host.bridge.connect(host.secret)
}

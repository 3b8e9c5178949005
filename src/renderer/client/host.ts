/** The host of this window: Electron's bridge when the preload left one, else a server over WebSocket. */
import type { Bridge } from '../../shared/contract/bridge.ts'
import { forgetSecret, takeSecret } from './secret.ts'
import { WebSocketBridge } from './web-socket-bridge.ts'

export type Host =
  | { readonly kind: 'desktop'; readonly bridge: Bridge }
  | { readonly kind: 'server'; readonly bridge: WebSocketBridge; readonly secret: string | null }

export function findHost(window: Window): Host {
  // put there by the preload; absent in a browser
  const { sluice } = window as { readonly sluice?: Bridge }
  if (sluice !== undefined) return { kind: 'desktop', bridge: sluice }
  const { protocol, host } = window.location
  const bridge = new WebSocketBridge({
    url: `${protocol === 'https:' ? 'wss' : 'ws'}://${host}/ws`,
    open: (url) => new WebSocket(url),
    random: Math.random,
  })
  bridge.onRefused(() => forgetSecret(window))
  return { kind: 'server', bridge, secret: takeSecret(window) }
}

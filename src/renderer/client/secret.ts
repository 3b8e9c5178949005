/**
 * The secret of a server, as a browser keeps it. It comes in the fragment of the link (`#secret=…`), which no server
 * or proxy sees, leaves the address bar at once, and stays for as long as the tab does.
 */
const key = 'sluice.secret'

type Tab = Pick<Window, 'location' | 'history' | 'sessionStorage'>

/** The secret of this tab, if it has one. A secret in the address wins over a kept one. */
export function takeSecret(tab: Tab): string | null {
  const given = new URLSearchParams(tab.location.hash.slice(1)).get('secret')
  if (given !== null) {
    tab.history.replaceState(null, '', tab.location.pathname + tab.location.search)
    if (given !== '') keepSecret(tab, given)
  }
  return given ?? tab.sessionStorage.getItem(key)
}

export function keepSecret(tab: Pick<Tab, 'sessionStorage'>, secret: string): void {
  tab.sessionStorage.setItem(key, secret)
}

export function forgetSecret(tab: Pick<Tab, 'sessionStorage'>): void {
  tab.sessionStorage.removeItem(key)
}

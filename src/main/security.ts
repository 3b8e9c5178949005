/**
 * What no page may do, applied to the app, to every session and to every web contents that is ever created, so
 * that a window which someone adds later starts out as confined as the first.
 */
import type { App, Event, Session, Shell, WebContents } from 'electron'
import { isAppUrl } from './app-url.ts'

/** The only permission a page of ours needs: writing text to the clipboard ("copy link"). */
const allowedPermission = 'clipboard-sanitized-write'

/** Schemes whose requests stay within the app. `devtools` exists in builds that are not packaged. */
const ownSchemes = new Set(['blob:', 'data:', 'devtools:'])

/** Call before the app is ready. */
export function hardenApp(app: App, shell: Shell): void {
  app.enableSandbox()
  app.on('web-contents-created', (_event, contents) => {
    hardenWebContents(contents, shell)
  })
}

function hardenWebContents(contents: WebContents, shell: Shell): void {
  const staysWithinApp = (event: Event<{ url: string }>): void => {
    if (!isAppUrl(event.url)) event.preventDefault()
  }
  contents.on('will-navigate', staysWithinApp)
  contents.on('will-redirect', staysWithinApp)
  contents.on('will-frame-navigate', staysWithinApp)
  contents.on('will-attach-webview', (event) => {
    event.preventDefault()
  })
  contents.setWindowOpenHandler(({ url }) => {
    void openInBrowser(shell, url)
    return { action: 'deny' }
  })
}

/** Gives web links to the user's browser; everything else is dropped: a `file:` or `smb:` link could run things. */
export async function openInBrowser(shell: Shell, link: string): Promise<void> {
  if (!URL.canParse(link)) return
  const url = new URL(link)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return
  await shell.openExternal(url.href)
}

/** Electron grants every permission and lets every request out by default; here none. */
export function hardenSession(session: Session): void {
  session.setPermissionRequestHandler((_contents, permission, answer, details) => {
    answer(permission === allowedPermission && isAppUrl(details.requestingUrl))
  })
  session.setPermissionCheckHandler(
    (_contents, permission, requestingOrigin) =>
      permission === allowedPermission && isAppUrl(requestingOrigin),
  )
  session.setDevicePermissionHandler(() => false)
  session.setDisplayMediaRequestHandler((_request, answer) => {
    answer({})
  })
  session.webRequest.onBeforeRequest((details, answer) => {
    answer({ cancel: !isAppUrl(details.url) && !ownSchemes.has(schemeOf(details.url)) })
  })
}

function schemeOf(url: string): string {
  return URL.canParse(url) ? new URL(url).protocol : ''
}

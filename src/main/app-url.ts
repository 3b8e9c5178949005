/** The one origin of the window. Its URLs are compared in parts, by a parser, never by how they begin. */

export const appScheme = 'app'
const appHost = 'sluice'
export const appStartUrl = `${appScheme}://${appHost}/index.html`

/** Whether this is a URL of the window's own origin, exactly. */
export function isAppUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, host, username, password } = new URL(text)
  return protocol === `${appScheme}:` && host === appHost && username === '' && password === ''
}

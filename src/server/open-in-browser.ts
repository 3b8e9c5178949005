import { spawn } from 'node:child_process'

/** The system's way to open a link, by platform. */
function opener(link: string): { command: string; args: string[] } {
  switch (process.platform) {
    case 'darwin':
      return { command: 'open', args: [link] }
    case 'win32':
      return { command: 'rundll32', args: ['url.dll,FileProtocolHandler', link] }
    default:
      return { command: 'xdg-open', args: [link] }
  }
}

/** Opens the link in the user's browser; says so in a line when there is none. Resolves when it was tried. */
export function openInBrowser(link: string, say: (line: string) => void): Promise<void> {
  const { command, args } = opener(link)
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'ignore', detached: true })
    child.once('spawn', () => {
      child.unref()
      resolve()
    })
    child.once('error', () => {
      say('No browser could be opened here: open the link above by hand.')
      resolve()
    })
  })
}

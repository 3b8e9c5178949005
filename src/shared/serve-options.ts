/**
 * What `sluice serve` can be told. Said once: the server reads its options by these, and the command line documents
 * and completes them without starting it.
 */

export interface ServeOptionFacts {
  /** as commander takes them */
  flags: string
  description: string
  isRepeatable?: true
}

export const defaultPort = 8786

export const serveOptionFacts = {
  port: { flags: '--port <number>', description: 'port to listen on; 0 takes any free one (default: 8786)' },
  host: {
    flags: '--host <address>',
    description: 'address to listen on; any but this machine itself needs SLUICE_SECRET (default: 127.0.0.1)',
  },
  dataDir: { flags: '--data-dir <folder>', description: 'folder of the list, the settings and the secret' },
  downloadRoot: {
    flags: '--download-root <folder>',
    description: 'folder that clients may save into, the first one by default; may be repeated',
    isRepeatable: true,
  },
  allowOrigin: {
    flags: '--allow-origin <origin>',
    description: 'origin of a browser extension that may use the API; may be repeated',
    isRepeatable: true,
  },
  open: { flags: '--open', description: 'open the window in a browser' },
  debugApi: {
    flags: '--debug-api',
    description:
      'show failed downloads with what the program itself said of them, in the API; secrets are masked',
  },
} as const satisfies Record<string, ServeOptionFacts>

export const serveDescription =
  'Run the download manager without a window of its own: a browser shows it, programs drive it.'

export const serveManual = `
The link that is printed at the start opens the window. It holds the secret:
whoever has it may do everything. "sluice secret --link" prints it again.

Environment:
  SLUICE_SECRET    the secret that clients give, instead of the one in the data
                   folder; at least 16 characters where others reach the port
  SLUICE_DATA_DIR  the data folder, unless --data-dir says otherwise

Signals:
  The first SIGINT (Ctrl+C) or SIGTERM stops in order: what arrived is kept and
  goes on at the next start. A second one stops at once.

Exit codes:
  0  stopped as asked
  1  could not start, or broke; standard error says why
  2  bad usage; nothing was touched

Examples:
  sluice serve --open
  sluice serve --download-root /srv/downloads --download-root /srv/films
  SLUICE_SECRET=… sluice serve --host 0.0.0.0
`

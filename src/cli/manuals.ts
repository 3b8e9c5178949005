/** What the manuals say beside the options. */
import { wrapManual } from './wrap-manual.ts'

/** A text as commander puts it under a command's help: no wider than the terminal. */
export function manual(text: string): () => string {
  return () => wrapManual(text, process.stdout.isTTY ? process.stdout.columns : 80)
}

export const programManual = `
Examples:
  sluice get https://example.org/image.iso
      downloads to the current folder, over several connections
  sluice get --video https://a.example/v.mp4 --audio https://a.example/a.m4a
      downloads both and joins them into one file, with or without FFmpeg
  sluice get -d ~/Downloads -j 4 -i links.txt
      downloads a list, four files at a time
  sluice serve --open
      the list with its window in a browser, and an API for other programs
  sluice add https://example.org/image.iso && sluice list
      puts a download into the list of the host that runs, and shows the list

Exit codes:
  0    done; for get: every file is whole
  1    some of it could not be done; standard error says which, why, what next
  2    bad usage; nothing was touched
  3    no host runs that the command could talk to
  130  interrupted; for get: the same command goes on

Errors go to standard error, one line each, with a code and the next step.
"sluice <command> --help" says more about each command.
`

const patterns = `
Links:
  http and https. Numbers or letters in brackets stand for many links:
  https://example.org/part[01-20].zip, [a-f], [0-100:10] (in steps). Write %5B
  for a bracket that is meant as one. Quote links: shells read ? & [ themselves.
`

export const getManual = `${patterns}
What you get:
  A file appears under its name when it is whole, checked and on the disk, and
  never before. A name that is taken is left alone: the new file becomes
  "name (1)". A web page in place of a file is refused, unless --direct asks
  for it.

Interruptions:
  Ctrl+C, a crash, a power cut, a full disk: what arrived is kept in hidden
  folders (.sluice-…) beside the destination, and the same command goes on and
  fetches only what is missing. They are gone when all is whole.

Output:
  Progress bars on a terminal, plain lines elsewhere (no colours when NO_COLOR
  is set). --json writes one object per line: {"type":"task","task":{…}} for
  every change. Errors go to standard error, one line each, with a code and the
  next step.

Environment:
  http_proxy, https_proxy, all_proxy, no_proxy; --proxy takes precedence

Exit codes:
  0    every file is whole
  1    some are not; standard error says which, why, and what to do
  2    bad usage; nothing was touched
  130  interrupted; the same command goes on

Examples:
  sluice get https://example.org/image.iso --checksum sha256:9f86d0…
  sluice get --header "Authorization: Bearer …" https://example.org/n
  sluice get --cookies cookies.txt "https://example.org/members/n?id=4"
  sluice get "https://example.org/part[01-20].zip"
  sluice get --limit 2M -x 4 -j 1 -i links.txt
  some-program | sluice get -i -
`

/** Ends the manual of each command that talks to a running host. */
export const hostManual = `
The host:
  A running "sluice serve", or the app when its local API is on, is found by its
  data folder: --data-dir, else SLUICE_DATA_DIR, else the usual folders. The
  secret is the one in that folder, unless SLUICE_SECRET is set.

Exit codes:
  0  done    1  some of it could not be done    2  bad usage    3  no host runs
`

export const addManual = `${patterns}
Folders:
  -d has to lie below a folder that the host may save into (--download-root of
  "sluice serve"); without it, the host's own download folder is taken.
${hostManual}
Examples:
  sluice add https://example.org/image.iso
  sluice add --paused -i links.txt
  some-program | sluice add -i - --json
`

export const idsManual = `
Ids:
  The beginning of an id, as "sluice list" shows it: four characters or more, so
  many that it is the only one.
${hostManual}`

export const settingsManual = `
Values are numbers, true or false, or text. Speeds are bytes per second, 0 is no
limit. Paths of programs cannot be set this way, only in the app itself.
${hostManual}
Examples:
  sluice settings
  sluice settings maxConcurrentTasks
  sluice settings speedLimitBytesPerSecond 2000000
`

export const secretManual = `
Whoever has the secret may do everything that the host can. A host that runs
takes the new one within a second; the old one is worth nothing from then on.

Environment:
  SLUICE_SECRET    decides the secret instead of the data folder
  SLUICE_DATA_DIR  the data folder, unless --data-dir says otherwise
`

export const completionManual = `
Where to:
  sluice completion bash > ~/.local/share/bash-completion/completions/sluice
  sluice completion zsh  > "\${fpath[1]}/_sluice"
  sluice completion fish > ~/.config/fish/completions/sluice.fish

They take effect in the next shell.
`

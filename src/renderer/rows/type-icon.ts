/** The icon of a task's type, by its steps and else by the ending of its name. */
import type { TaskRow } from '../../shared/view.ts'
import type { IconName } from '../parts/icon.tsx'

const endings: readonly (readonly [IconName, RegExp])[] = [
  ['video', /\.(mp4|m4v|mkv|webm|mov|avi|mpe?g|ts|ogv|m3u8|mpd)$/i],
  ['audio', /\.(mp3|m4a|aac|flac|wav|ogg|opus|wma)$/i],
  ['doc', /\.(pdf|docx?|odt|rtf|txt|md|epub|pptx?|odp|xlsx?|ods|csv)$/i],
  ['archive', /\.(zip|tar|gz|tgz|bz2|xz|zst|7z|rar)$/i],
  ['disc', /\.(iso|img|dmg)$/i],
  ['program', /\.(exe|msi|deb|rpm|appimage|apk|pkg|jar)$/i],
]

export function typeIcon(row: Pick<TaskRow, 'title' | 'outputs' | 'pieces' | 'fileCount'>): IconName {
  if (row.fileCount > 1) return 'playlist'
  if (row.pieces.some((piece) => piece.kind === 'download-video')) return 'video'
  if (row.pieces.some((piece) => piece.kind === 'download-audio')) return 'audio'
  const name = row.outputs[0] ?? row.title
  return endings.find(([, ending]) => ending.test(name))?.[0] ?? 'file'
}

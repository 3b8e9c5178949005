/** Absolute on any system we run on: `/…`, `C:\…`, `\\server\share`. The file system has the last word. */
export function isAbsoluteFolder(folder: string): boolean {
  if (folder.includes('\0')) return false
  return /^(\/|[A-Za-z]:[\\/]|\\\\[^\\])/.test(folder)
}

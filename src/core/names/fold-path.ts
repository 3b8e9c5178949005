/** Two paths that a file system might take for one another have the same folded form (NFC, case). */
export function foldPath(path: string): string {
  return path.normalize('NFC').toLowerCase()
}

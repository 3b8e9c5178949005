/** A small volume in memory that can be filled: needs root on Linux. */
import { mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from './run-command.ts'

export class SmallVolume {
  readonly folder: string

  private constructor(folder: string) {
    this.folder = folder
  }

  static create(kilobytes: number): SmallVolume {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-small-'))
    try {
      run('mount', '-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', folder)
      return new SmallVolume(folder)
    } catch (error) {
      rmSync(folder, { recursive: true })
      throw error
    }
  }

  /** Takes the space that is left but for this much. */
  fill(leftKilobytes = 0): void {
    const page = Buffer.alloc(4096, 1)
    for (let bytes = page.length * 4096; bytes >= page.length; bytes /= 2) {
      for (;;) {
        try {
          writeFileSync(this.#ballast, Buffer.alloc(bytes), { flag: 'a' })
        } catch {
          break
        }
      }
    }
    truncateSync(this.#ballast, statSync(this.#ballast).size - leftKilobytes * 1024)
  }

  get #ballast(): string {
    return join(this.folder, 'ballast')
  }

  /** Gives the space back. */
  empty(): void {
    rmSync(this.#ballast, { force: true })
  }

  dispose(): void {
    // lazily: after a failed test a file may still be open
    run('umount', '--lazy', this.folder)
    rmSync(this.folder, { recursive: true })
  }
}

/** Why no volume can be filled here, or null when one can. */
export function whyNoSmallVolumes(): string | null {
  if (process.platform !== 'linux') return 'full disks need Linux'
  if (process.getuid?.() !== 0) return 'full disks need root'
  try {
    SmallVolume.create(64).dispose()
    return null
  } catch (error) {
    return `no volume that can be filled: ${error instanceof Error ? error.message : String(error)}`
  }
}

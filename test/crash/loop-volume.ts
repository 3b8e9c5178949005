/**
 * A volume whose power can be cut: ext4 in a file on a loop mount, and the shutdown ioctl, which drops everything that
 * was not synced (as xfstests' `godown` does). A killed process loses nothing that it wrote; only this shows whether
 * what was acknowledged was on the disk. Needs root on Linux; `whyNoLoopVolumes` says why elsewhere.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from './run-command.ts'

/** FS_IOC_SHUTDOWN of linux/fs.h with its flag "no log flush"; Node has no ioctl, and Perl is on every Debian. */
const cutProgram =
  'sysopen(F, $ARGV[0], 0) or die $!; my $flag = pack("L", 2); ioctl(F, 0x8004587d, $flag) or die $!'

export class LoopVolume {
  readonly #scratch: string
  /** where the volume is mounted */
  readonly folder: string
  #isMounted = false

  private constructor(scratch: string) {
    this.#scratch = scratch
    this.folder = join(scratch, 'volume')
  }

  static create(megabytes: number): LoopVolume {
    const volume = new LoopVolume(mkdtempSync(join(tmpdir(), 'sluice-volume-')))
    try {
      mkdirSync(volume.folder)
      run('truncate', '--size', `${megabytes}M`, volume.#image)
      run('mkfs.ext4', '-q', '-F', volume.#image)
      volume.#mount()
      writeFileSync(join(volume.folder, 'handle'), '')
      run('sync', '--file-system', volume.folder)
      return volume
    } catch (error) {
      volume.dispose()
      throw error
    }
  }

  get #image(): string {
    return join(this.#scratch, 'image')
  }

  #mount(): void {
    run('mount', '-o', 'loop', this.#image, this.folder)
    this.#isMounted = true
  }

  #unmount(): void {
    if (!this.#isMounted) return
    run('umount', this.folder)
    this.#isMounted = false
  }

  /** From this moment every access fails, and what was not synced is gone. */
  cutPower(): void {
    run('perl', '-e', cutProgram, join(this.folder, 'handle'))
  }

  /** The machine starts again; nobody may have a file of the volume open. */
  restorePower(): void {
    this.#unmount()
    this.#mount()
  }

  dispose(): void {
    // lazily: after a failed test a file may still be open
    if (this.#isMounted) run('umount', '--lazy', this.folder)
    rmSync(this.#scratch, { recursive: true })
  }
}

/** Why power cannot be cut here, or null when it can: tried on a volume, not guessed. */
export function whyNoLoopVolumes(): string | null {
  if (process.platform !== 'linux') return 'power cuts need Linux'
  if (process.getuid?.() !== 0) return 'power cuts need root'
  try {
    const volume = LoopVolume.create(16)
    try {
      volume.cutPower()
      volume.restorePower()
    } finally {
      volume.dispose()
    }
    return null
  } catch (error) {
    return `no volume whose power can be cut: ${error instanceof Error ? error.message : String(error)}`
  }
}

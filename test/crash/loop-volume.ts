/**
 * A volume whose power can be cut: ext4 in a file on a loop mount, and the shutdown ioctl, which drops everything that
 * was not synced (as xfstests' `godown` does). A killed process loses nothing that it wrote; only this shows whether
 * what was acknowledged was on the disk. Needs root on Linux; `whyNoLoopVolumes` says why elsewhere.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from './run-command.ts'

/**
 * FS_IOC_SHUTDOWN of linux/fs.h with its flag "no log flush"; Node has no ioctl, and Perl is on every Debian. It waits
 * for a word, so that the time of its start is not taken for the time of the cut.
 */
const cutProgram =
  'sysopen(F, $ARGV[0], 0) or die $!; my $flag = pack("L", 2); syswrite(STDOUT, "ready\n"); <STDIN>; ' +
  'ioctl(F, 0x8004587d, $flag) or die $!'

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

  /**
   * Resolves when every access fails and what was not synced is gone; to a moment of the machine's monotonic clock (ns)
   * right before. What was acknowledged by then must be there again. Not what was acknowledged later: the call takes
   * tens of ms on a busy machine, and a sync that it meets on its way can report success (measured: 12 of 12 lost
   * commits were acknowledged in the middle of the call). A machine without power acknowledges nothing.
   */
  async cutPower(): Promise<bigint> {
    const cutter = spawn('perl', ['-e', cutProgram, join(this.folder, 'handle')], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const exited = once(cutter, 'exit')
    await Promise.race([once(cutter.stdout, 'data'), exited])
    const before = process.hrtime.bigint()
    cutter.stdin.end('cut\n')
    const [code] = (await exited) as [number | null]
    if (code !== 0) throw new Error(`the power cannot be cut: perl ended with ${code ?? 'a signal'}`)
    return before
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
export async function whyNoLoopVolumes(): Promise<string | null> {
  if (process.platform !== 'linux') return 'power cuts need Linux'
  if (process.getuid?.() !== 0) return 'power cuts need root'
  try {
    const volume = LoopVolume.create(16)
    try {
      await volume.cutPower()
      volume.restorePower()
    } finally {
      volume.dispose()
    }
    return null
  } catch (error) {
    return `no volume whose power can be cut: ${error instanceof Error ? error.message : String(error)}`
  }
}

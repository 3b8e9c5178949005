/** Large tracks for the benchmark of muxing; made anew each time, since half a gigabyte is not committed. */
import { execFileSync } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface MuxMedia {
  video: string
  audio: string
}

const pieces = 10
const secondsPerPiece = 20

function ffmpeg(...args: string[]): void {
  execFileSync('ffmpeg', ['-hide_banner', '-loglevel', 'error', '-y', ...args])
}

/** About 500 MB of H.264 (720p, 20 Mbit/s, 200 s) and 3 MB of AAC, as an mp4 and an m4a. */
export async function makeMuxMedia(folder: string): Promise<MuxMedia> {
  const [piece, list] = [join(folder, 'piece.mp4'), join(folder, 'list.txt')]
  const [video, audio] = [join(folder, 'video.mp4'), join(folder, 'audio.m4a')]
  const picture = `testsrc2=size=1280x720:rate=30:duration=${secondsPerPiece},noise=alls=60:allf=t`
  const rate = ['-b:v', '20M', '-minrate', '20M', '-maxrate', '20M', '-bufsize', '20M']
  ffmpeg('-f', 'lavfi', '-i', picture, '-c:v', 'libx264', '-preset', 'ultrafast', ...rate, '-g', '60', piece)
  await writeFile(list, `file '${piece}'\n`.repeat(pieces))
  ffmpeg('-f', 'concat', '-safe', '0', '-i', list, '-c', 'copy', video)
  const sound = `sine=frequency=440:duration=${pieces * secondsPerPiece}:sample_rate=48000`
  ffmpeg('-f', 'lavfi', '-i', sound, '-ac', '2', '-c:a', 'aac', '-b:a', '128k', audio)
  await rm(piece)
  await rm(list)
  return { video, audio }
}

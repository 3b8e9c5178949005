/** What the desktop can do when all is finished: quit by itself, sleep and shut down by the system's own program. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { PowerHooks } from '../core/service/power-plan.ts'

type Program = readonly [file: string, ...args: string[]]

/** Null: this system has no program for it that we know. */
export function powerProgram(platform: string, action: 'sleep' | 'shut-down'): Program | null {
  switch (platform) {
    case 'linux':
      return ['systemctl', action === 'sleep' ? 'suspend' : 'poweroff']
    case 'darwin':
      return action === 'sleep'
        ? ['pmset', 'sleepnow']
        : ['osascript', '-e', 'tell application "System Events" to shut down']
    case 'win32':
      return action === 'sleep'
        ? ['rundll32.exe', 'powrprof.dll,SetSuspendState', '0,1,0']
        : ['shutdown.exe', '/s', '/t', '0']
    default:
      return null
  }
}

export function powerHooks(app: { quit(): void }, platform: string): PowerHooks {
  const hook = (action: 'sleep' | 'shut-down'): (() => Promise<void>) | undefined => {
    const program = powerProgram(platform, action)
    if (program === null) return undefined
    const [file, ...args] = program
    return async () => {
      await promisify(execFile)(file, args)
    }
  }
  const [sleep, shutDown] = [hook('sleep'), hook('shut-down')]
  return {
    quit: () => {
      app.quit()
      return Promise.resolve()
    },
    ...(sleep === undefined ? {} : { sleep }),
    ...(shutDown === undefined ? {} : { 'shut-down': shutDown }),
  }
}

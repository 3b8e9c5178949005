import type { NetworkProbe } from '../../src/core/ports.ts'

/** A network whose hosts are silent or answer as a test says; every probe is counted. */
export class FakeNetwork implements NetworkProbe {
  offline = false
  readonly silent = new Set<string>()
  readonly probes: string[] = []

  probe(host: string): Promise<'answers' | 'silent' | 'offline'> {
    this.probes.push(host)
    if (this.offline) return Promise.resolve('offline')
    return Promise.resolve(this.silent.has(host) ? 'silent' : 'answers')
  }
}

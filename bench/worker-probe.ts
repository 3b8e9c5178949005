/**
 * Loaded into every process of a measured run by NODE_OPTIONS; wakes up in workers alone. At their end it writes what
 * only the process itself can know, so that the product needs no option for it.
 */
import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'

/** What a worker leaves as `<pid>.json`. */
export interface WorkerFigures {
  peakRssBytes: number
  /** 99th percentile of the time between two turns of a timer of 1 ms, over the worker's whole life */
  delayP99Ms: number
  delayMaxMs: number
}

const folder = process.env['SLUICE_BENCH_PROBE']
// the command line starts its first worker through a file that keeps the compiled form
if (folder !== undefined && /^(start-)?worker\./.test(basename(process.argv[1] ?? ''))) {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  process.on('exit', () => {
    const figures: WorkerFigures = {
      peakRssBytes: process.resourceUsage().maxRSS * 1024,
      delayP99Ms: delay.percentile(99) / 1e6,
      delayMaxMs: delay.max / 1e6,
    }
    writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify(figures))
  })
}

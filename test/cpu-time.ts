/**
 * Time that the processor spent on synchronous work of this thread, in ms: a bound on it is about the work, whatever
 * else the machine does meanwhile.
 */
export function cpuTimeOf(work: () => void): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

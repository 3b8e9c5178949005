const longestSensibleSeconds = 30 * 24 * 3600

/** Seconds until `remainingBytes` have arrived; null rather than absurd: nothing flows, or it would take months. */
export function remainingSeconds(remainingBytes: number | null, bytesPerSecond: number): number | null {
  if (remainingBytes === null || bytesPerSecond < 1) return null
  const seconds = Math.max(0, remainingBytes) / bytesPerSecond
  return seconds > longestSensibleSeconds ? null : Math.ceil(seconds)
}

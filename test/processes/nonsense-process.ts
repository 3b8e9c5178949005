/** A worker that answers its first message with something that is no message, and goes on living. */
process.on('message', () => process.send?.([{ kind: 'outcome', attemptId: 7 }]))
process.on('SIGTERM', () => null)
setInterval(() => null, 1_000)

/** A worker that fails every step at once, and never says that it is done with the attempt. */
interface Order {
  kind: string
  attemptId: string
  token: number
  stepId: string
}

process.on('message', ([message]: [Order]) => {
  if (message.kind !== 'run-step') return
  const { attemptId, token, stepId } = message
  const error = { code: 'NOT_FOUND', message: 'nothing is there', hint: '' }
  const outcome = { kind: 'failed', error }
  process.send?.([{ kind: 'outcome', attemptId, token, seq: 1, stepId, outcome, isLast: false }])
})
process.on('disconnect', () => process.exit(0))

import { expect, test } from 'vitest'
import { SecretCheck, wrongSecretsAllowed } from './secret-check.ts'

function checkAt() {
  const clock = { now: 0, monotonic: () => clock.now }
  return { clock, secrets: new SecretCheck('the right one', clock) }
}

test('only the secret itself is right; none at all is no guess', () => {
  const { secrets } = checkAt()
  expect(secrets.check('the right one', 'a').kind).toBe('right')
  for (const wrong of [
    '',
    'the right',
    'the right one ',
    'THE RIGHT ONE',
    'the right one\0',
    'x'.repeat(1_000_000),
  ]) {
    expect(secrets.check(wrong, `from ${wrong.length}`).kind).toBe('wrong')
  }
  for (let asked = 0; asked < 100; asked++) expect(secrets.check(undefined, 'a').kind).toBe('missing')
  expect(secrets.check('the right one', 'a').kind).toBe('right')
})

test('after ten wrong secrets within a minute an address waits, also with the right one; others do not', () => {
  const { clock, secrets } = checkAt()
  for (let guess = 0; guess < wrongSecretsAllowed; guess++) {
    clock.now = guess * 1000
    expect(secrets.check(`guess ${guess}`, 'guesser').kind).toBe('wrong')
  }
  expect(secrets.check('the right one', 'guesser')).toEqual({ kind: 'limited', retryAfterSeconds: 51 })
  expect(secrets.check('the right one', 'someone else').kind).toBe('right')
  clock.now = 59_999
  expect(secrets.check('the right one', 'guesser').kind).toBe('limited')
  clock.now = 60_000
  expect(secrets.check('the right one', 'guesser').kind).toBe('right')
})

test('a thousand wrong secrets in a row: ten are looked at', () => {
  const { secrets } = checkAt()
  const verdicts = Array.from({ length: 1000 }, (_, guess) => secrets.check(`guess ${guess}`, 'guesser').kind)
  expect(verdicts.filter((verdict) => verdict === 'wrong')).toHaveLength(10)
  expect(verdicts.filter((verdict) => verdict === 'limited')).toHaveLength(990)
})

test('a replaced secret is worth nothing at once', () => {
  const { secrets } = checkAt()
  secrets.replace('the next one')
  expect(secrets.check('the right one', 'a').kind).toBe('wrong')
  expect(secrets.check('the next one', 'a').kind).toBe('right')
})

import { expect, it } from 'vitest'
import { missingLinks } from './missing-links.ts'

it('are those that no task has, in their order', () => {
  const links = ['http://a.test/1', 'http://a.test/2', 'http://a.test/3']
  expect(missingLinks(links, [])).toEqual(links)
  expect(missingLinks(links, ['http://a.test/2'])).toEqual(['http://a.test/1', 'http://a.test/3'])
  expect(missingLinks(links, links)).toEqual([])
})

it('are compared in the form that tasks have: without credentials, fragments and what else means nothing', () => {
  const links = ['HTTP://User:pw@A.test:80/x#part', ' http://a.test/y ']
  expect(missingLinks(links, ['http://a.test/y', 'http://a.test/x'])).toEqual([])
})

it('a link that is listed several times is missing as often as tasks are', () => {
  const link = 'http://a.test/1'
  expect(missingLinks([link, link, link], [link])).toEqual([link, link])
})

it('what is no link is given to be refused again', () => {
  expect(missingLinks(['nonsense', 'http://a.test/1'], ['http://a.test/1'])).toEqual(['nonsense'])
})

import { describe, expect, it } from 'vitest'
import { cpuTimeOf } from '../../../test/cpu-time.ts'
import { isPage, looksLikeHtml } from './page-check.ts'

describe('pages', () => {
  it.each(['<!DOCTYPE html>', '\ufeff  <html lang=x>', '<!-- a --> <!-- b -->\n<head>', '<script>'])(
    '%s is one',
    (text) => {
      expect(looksLikeHtml(Buffer.from(text))).toBe(true)
    },
  )

  it.each(['', 'html', '<svg>', '<!-- only', '<?xml version="1.0"?>', '<!doctype svg>', '\0\0\0\x18ftyp'])(
    '%s is none',
    (text) => {
      expect(looksLikeHtml(Buffer.from(text))).toBe(false)
    },
  )

  it('are found in bounded time whatever their comments', () => {
    const comments = Buffer.from('<!---->'.repeat(5000))
    const look = () => {
      expect(looksLikeHtml(comments)).toBe(false)
    }
    expect(cpuTimeOf(look)).toBeLessThan(1000)
  })

  it('are told by their bytes more than by their type', () => {
    expect(isPage('text/html; charset=utf-8', Buffer.from('Sign in please'))).toBe(true)
    expect(isPage('text/html', Buffer.from('\0\0\0\x18ftypmp42'))).toBe(false)
    expect(isPage('video/mp4', Buffer.from('<html>'))).toBe(true)
    expect(isPage('text/plain', Buffer.from('Sign in please'))).toBe(false)
  })
})

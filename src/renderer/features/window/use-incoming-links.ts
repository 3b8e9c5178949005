/** Links that are pasted or dropped anywhere in the window open the add dialog; fields keep what is pasted into them. */
import { useEffect } from 'react'
import type { App } from '../../store/app.ts'

/** The web links in a text, one a line; empty when there are none. */
export function webLinksIn(text: string): string {
  return (text.match(/\bhttps?:\/\/[^\s<>"]+/gi) ?? []).join('\n')
}

export function useIncomingLinks(app: App): void {
  useEffect(() => {
    const offer = (text: string): boolean => {
      const links = webLinksIn(text)
      const { layer, connection } = app.store.getState()
      if (links === '' || layer !== null || connection.kind !== 'open') return false
      app.open({ kind: 'add', links })
      return true
    }
    const onPaste = (event: ClipboardEvent): void => {
      if (event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement) return
      if (offer(event.clipboardData?.getData('text/plain') ?? '')) event.preventDefault()
    }
    // without this the window would open what is dropped instead of the page
    const onDragOver = (event: DragEvent): void => event.preventDefault()
    const onDrop = (event: DragEvent): void => {
      event.preventDefault()
      const dropped = event.dataTransfer
      offer(dropped?.getData('text/uri-list') || dropped?.getData('text/plain') || '')
    }
    window.addEventListener('paste', onPaste)
    window.addEventListener('dragover', onDragOver)
    window.addEventListener('drop', onDrop)
    return () => {
      window.removeEventListener('paste', onPaste)
      window.removeEventListener('dragover', onDragOver)
      window.removeEventListener('drop', onDrop)
    }
  }, [app])
}

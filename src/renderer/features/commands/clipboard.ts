/**
 * Writes text to the clipboard. The modern way needs a permission that the desktop host denies to every page; the
 * old way works there, because the user has just pressed a key or a button.
 */
export async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

function copyBySelection(text: string): boolean {
  let isCopied = false
  const fill = (event: ClipboardEvent): void => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
    isCopied = true
  }
  document.addEventListener('copy', fill)
  // deprecated, and the only way that needs no permission
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  document.execCommand('copy')
  document.removeEventListener('copy', fill)
  return isCopied
}

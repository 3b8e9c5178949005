/** Opens the list's context menu at an element, as a right click there would: one menu, whatever opened it. */
export function openMenuAt(element: Element): void {
  const box = element.getBoundingClientRect()
  element.dispatchEvent(
    new MouseEvent('contextmenu', {
      bubbles: true,
      cancelable: true,
      clientX: Math.round(box.left + Math.min(box.width / 2, 160)),
      clientY: Math.round(box.bottom - 4),
    }),
  )
}

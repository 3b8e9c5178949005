import { useEffect, useState } from 'react'

/** Pixels of one rem, followed when the text is made larger. */
export function useRem(): number {
  const [rem, setRem] = useState(() => parseFloat(getComputedStyle(document.documentElement).fontSize))
  useEffect(() => {
    const ruler = document.createElement('div')
    ruler.className = 'rem-ruler'
    document.body.append(ruler)
    const observer = new ResizeObserver(() => setRem(ruler.getBoundingClientRect().width || 16))
    observer.observe(ruler)
    return () => {
      observer.disconnect()
      ruler.remove()
    }
  }, [])
  return rem
}

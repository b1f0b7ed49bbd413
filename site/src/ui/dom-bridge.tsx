import { useRef } from 'preact/hooks'
import type { Markup } from '../jsx/markup.ts'
import { render } from '../jsx/render.ts'

// For the pages that still create their elements themselves with `h`. It goes when they are components.

/** A component as an element. */
export function toElement(markup: Markup): Element {
  const place = document.createElement('div')
  render(markup, place)
  return place.firstElementChild!
}

/** An element inside a component. */
export function Dom({ node }: { readonly node: Node }) {
  const isPlaced = useRef(false)
  const take = (place: HTMLElement | null) => {
    if (place && !isPlaced.current) place.append(node)
    isPlaced.current = true
  }
  return <div ref={take} />
}

import { errorMessage } from '../error-message.ts'
import { getElement } from '../get-element.ts'
import type { Children } from '../jsx/markup.ts'
import { render } from '../jsx/render.ts'
import { Button } from './button.tsx'

/** Loads what a page needs and shows it in place of "One moment…". If that fails, says why, with a button to try again. */
export async function showPage(load: () => Promise<Children>): Promise<void> {
  const place = getElement('[data-view]')
  try {
    const content = await load()
    place.removeAttribute('aria-busy')
    render(content, place)
  } catch (error) {
    place.removeAttribute('aria-busy')
    render(
      <div class="empty" role="alert">
        <p>{errorMessage(error)}</p>
        <Button action={() => showPage(load)}>Try again</Button>
      </div>,
      place,
    )
  }
}

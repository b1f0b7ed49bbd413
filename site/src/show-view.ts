import { append, type Child, getElement } from './dom.ts'

/** Replaces the page's content, which is "One moment…" while it loads. */
export function showView(...children: readonly Child[]): void {
  const view = getElement('[data-view]')
  view.replaceChildren()
  view.removeAttribute('aria-busy')
  append(view, children)
}

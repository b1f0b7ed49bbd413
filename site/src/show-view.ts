import { append, type Child, getElement } from './dom.ts'

/** Replaces the content of the page, at first "One moment…". */
export function showView(...children: readonly Child[]): void {
  const view = getElement('[data-view]')
  view.replaceChildren()
  view.removeAttribute('aria-busy')
  append(view, children)
}

import { findElement } from './get-element.ts'
import { showKeys } from './ui/show-keys.tsx'

/** `/` searches, `j` and `k` move through the items of a page, Enter opens one, `?` lists the shortcuts. */
export function enableShortcuts(): void {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || findElement('dialog[open]')) return
    if (event.key === '/') focusSearch()
    else if (event.key === 'j') moveSelection(1)
    else if (event.key === 'k') moveSelection(-1)
    else if (event.key === '?') showShortcuts()
    else return
    event.preventDefault()
  })
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

function focusSearch(): void {
  const search = findElement<HTMLInputElement>('input[type="search"]')
  search?.focus()
  search?.select()
}

/** Marks an item and focuses its link, so that Enter opens it. */
function moveSelection(step: number): void {
  const items = [...document.querySelectorAll<HTMLElement>('[data-item]')]
  const at = items.findIndex((item) => item.classList.contains('current'))
  const next = items[at === -1 ? (step > 0 ? 0 : items.length - 1) : at + step]
  if (!next) return
  items[at]?.classList.remove('current')
  next.classList.add('current')
  findElement('a', next)?.focus({ preventScroll: true })
  next.scrollIntoView({ block: 'center' })
}

const keys = [
  ['/', 'Search'],
  ['j', 'Next in a list'],
  ['k', 'Previous in a list'],
  ['Enter', 'Open it'],
  ['?', 'This help'],
] as const

export const showShortcuts = (): void => showKeys(keys)

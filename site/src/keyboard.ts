import { find, h } from './dom.ts'

/** `/` searches, `j` and `k` walk the items of a page, Enter opens one, `?` explains. */
export function listenToKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || find('dialog[open]')) return
    if (event.key === '/') focusSearch()
    else if (event.key === 'j') walk(1)
    else if (event.key === 'k') walk(-1)
    else if (event.key === '?') showKeys()
    else return
    event.preventDefault()
  })
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

function focusSearch(): void {
  const search = find<HTMLInputElement>('input[type="search"]')
  search?.focus()
  search?.select()
}

/** An item is marked, and what it leads to has the focus: Enter opens it as anywhere. */
function walk(step: number): void {
  const items = [...document.querySelectorAll<HTMLElement>('[data-item]')]
  const at = items.findIndex((item) => item.classList.contains('current'))
  const next = items[at === -1 ? (step > 0 ? 0 : items.length - 1) : at + step]
  if (!next) return
  items[at]?.classList.remove('current')
  next.classList.add('current')
  find('a', next)?.focus({ preventScroll: true })
  next.scrollIntoView({ block: 'center' })
}

const keys = [
  ['/', 'Search'],
  ['j', 'Next in a list'],
  ['k', 'Previous in a list'],
  ['Enter', 'Open it'],
  ['?', 'This help'],
] as const

export function showKeys(): void {
  const dialog = h(
    'dialog',
    { 'aria-labelledby': 'keys-title' },
    h('h2', { id: 'keys-title' }, 'Keyboard'),
    h(
      'dl',
      { class: 'keys' },
      keys.map(([key, words]) => [h('dt', {}, h('kbd', {}, key)), h('dd', {}, words)]),
    ),
    h('form', { method: 'dialog', class: 'row' }, h('button', { class: 'quiet-button' }, 'Close')),
  )
  dialog.addEventListener('close', () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
}

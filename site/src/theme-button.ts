import { h } from './dom.ts'

const themes = ['system', 'light', 'dark'] as const
type Theme = (typeof themes)[number]

const current = (): Theme => (localStorage.getItem('theme') as Theme | null) ?? 'system'

/** Cycles through the system's theme, light and dark. */
export function themeButton(): HTMLButtonElement {
  const words = () => `Colours: ${current()}`
  const button = h('button', { type: 'button' }, words())
  button.addEventListener('click', () => {
    const next = themes[(themes.indexOf(current()) + 1) % themes.length]!
    if (next === 'system') localStorage.removeItem('theme')
    else localStorage.setItem('theme', next)
    if (next === 'system') delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = next
    button.textContent = words()
  })
  return button
}

import { useState } from 'preact/hooks'

const themes = ['system', 'light', 'dark'] as const
type Theme = (typeof themes)[number]

/** Cycles through the system's theme, light and dark. */
export function ThemeButton() {
  const [theme, setTheme] = useState((localStorage.getItem('theme') as Theme | null) ?? 'system')
  const change = () => {
    const next = themes[(themes.indexOf(theme) + 1) % themes.length]!
    if (next === 'system') {
      localStorage.removeItem('theme')
      delete document.documentElement.dataset.theme
    } else {
      localStorage.setItem('theme', next)
      document.documentElement.dataset.theme = next
    }
    setTheme(next)
  }
  return (
    <button type="button" onClick={change}>
      Colours: {theme}
    </button>
  )
}

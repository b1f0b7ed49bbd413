import { render } from '../jsx/render.ts'
import { showToast } from '../show-toast.ts'
import { Button } from '../ui/button.tsx'

const key = 'sample-language'

/** Remembers the language of samples, shows all of them in it, and adds a copy button to each block of code. */
export function improveSamples(): void {
  const groups = [...document.querySelectorAll<HTMLElement>('.samples')]
  const choose = (language: string) => {
    for (const group of groups) {
      const tab = group.querySelector<HTMLInputElement>(`input[value="${CSS.escape(language)}"]`)
      if (tab) tab.checked = true
    }
  }
  choose(localStorage.getItem(key) ?? '')
  for (const group of groups) {
    group.addEventListener('change', (event) => {
      const tab = event.target as HTMLInputElement
      // Keeps the page from jumping when samples above become longer or shorter.
      const { top } = tab.getBoundingClientRect()
      localStorage.setItem(key, tab.value)
      choose(tab.value)
      scrollBy(0, tab.getBoundingClientRect().top - top)
    })
  }
  for (const block of document.querySelectorAll<HTMLElement>('.docs pre'))
    if (!block.closest('details')) addCopyButton(block)
  // The reference has hundreds of samples in details that are closed. They get their buttons when they are opened.
  const opened = ({ target }: Event) => {
    for (const block of (target as Element).querySelectorAll<HTMLElement>('pre:not(:has(> .copy))'))
      addCopyButton(block)
  }
  document.addEventListener('toggle', opened, { capture: true })
}

function addCopyButton(block: HTMLElement): void {
  const place = document.createElement('div')
  place.className = 'copy'
  const copy = async () => {
    await navigator.clipboard.writeText((block.querySelector('code')?.textContent ?? '').trimEnd())
    showToast('Copied.')
  }
  render(
    <Button action={copy} aria-label="Copy this sample">
      Copy
    </Button>,
    place,
  )
  // Inside a group, the tabs are chosen by the order of the blocks, so the button is part of its block.
  block.prepend(place)
}

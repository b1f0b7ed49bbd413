import { h, say } from './dom.ts'
import { button } from './form.ts'

/** Something to be copied to the letter, with the button that does it. */
export const copyable = (name: string, value: string): HTMLElement =>
  h(
    'div',
    { class: 'copyable' },
    h('span', { class: 'hint' }, name),
    h('code', {}, value),
    copyButton(value, `Copy the ${name.toLowerCase()}`, `The ${name.toLowerCase()} is in your clipboard.`),
  )

function copyButton(value: string, label: string, said: string): HTMLButtonElement {
  const element = button('Copy', async () => {
    await navigator.clipboard.writeText(value)
    say(said)
  })
  element.setAttribute('aria-label', label)
  return element
}

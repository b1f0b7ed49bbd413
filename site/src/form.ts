import { type Child, h } from './dom.ts'
import { errorMessage } from './error-message.ts'
import { showToast } from './show-toast.ts'

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

/** A control with its label. Errors of this field are shown below it. */
export const field = (label: string, control: Control, hint?: Child): HTMLLabelElement =>
  h('label', { class: 'field' }, label, control, hint && h('span', { class: 'hint' }, hint))

export const checkbox = (label: string, name: string, isOn: boolean): HTMLLabelElement =>
  h('label', { class: 'check' }, h('input', { type: 'checkbox', name, checked: isOn }), label)

export const select = (
  name: string,
  choices: readonly (readonly [value: string, label: string])[],
  chosen: string,
): HTMLSelectElement =>
  h(
    'select',
    { name },
    choices.map(([value, label]) => h('option', { value, selected: value === chosen }, label)),
  )

/** A button that is disabled while its action runs. Errors are shown as a toast. */
export function button(
  label: string,
  action: () => Promise<unknown> | unknown,
  style = 'quiet-button small',
): HTMLButtonElement {
  const element = h('button', { type: 'button', class: style }, label)
  element.addEventListener('click', async () => {
    element.disabled = true
    try {
      await action()
    } catch (error) {
      showToast(errorMessage(error))
    } finally {
      element.disabled = false
    }
  })
  return element
}

import { type Child, findElement, h } from './dom.ts'
import { errorMessage, fieldErrors } from './error-message.ts'
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

/** A form that disables its button while it is sent, and shows errors beside the fields they belong to. */
export function form(
  children: readonly Child[],
  submitLabel: string,
  send: (fields: FormData, form: HTMLFormElement) => Promise<unknown>,
): HTMLFormElement {
  const problem = h('p', { class: 'notice bad', role: 'alert', hidden: true })
  const button = h('button', {}, submitLabel)
  const element = h('form', { class: 'card' }, children, problem, h('div', { class: 'row' }, button))
  element.addEventListener('submit', async (event) => {
    event.preventDefault()
    clearErrors(element)
    problem.hidden = true
    button.disabled = true
    try {
      await send(new FormData(element), element)
    } catch (error) {
      const unplaced = fieldErrors(error).filter((each) => !showFieldError(element, each.field, each.message))
      problem.textContent = [
        errorMessage(error),
        ...unplaced.map(({ field: name, message }) => `${name} ${message}`),
      ].join(' ')
      problem.hidden = false
    } finally {
      button.disabled = false
    }
  })
  return element
}

export const fieldText = (fields: FormData, name: string): string => String(fields.get(name) ?? '').trim()

function clearErrors(element: HTMLElement): void {
  for (const wrong of element.querySelectorAll('.wrong')) wrong.remove()
  for (const control of element.querySelectorAll('[aria-invalid]')) control.removeAttribute('aria-invalid')
}

function showFieldError(element: HTMLElement, name: string, message: string): boolean {
  const control = findElement<Control>(`[name="${CSS.escape(name.split('.')[0]!)}"]`, element)
  const label = control?.closest('.field')
  if (!control || !label) return false
  control.setAttribute('aria-invalid', 'true')
  label.append(h('span', { class: 'wrong' }, `${message[0]?.toUpperCase()}${message.slice(1)}.`))
  return true
}

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

/** The input for a six-digit code from an email. */
export const codeInput = (): HTMLInputElement =>
  h('input', {
    name: 'code',
    class: 'code-input',
    required: true,
    inputmode: 'numeric',
    autocomplete: 'one-time-code',
    pattern: '[0-9]{6}',
    maxlength: 6,
    title: 'Six digits',
  })

import { type Child, findElement, h } from './dom.ts'
import { errorMessage, fieldErrors } from './error-message.ts'
import { showToast } from './show-toast.ts'

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

/** A control with its label; what the service says is wrong with it stands below. */
export const field = (label: string, control: Control, hint?: Child): HTMLLabelElement =>
  h('label', { class: 'field' }, label, control, hint && h('span', { class: 'hint' }, hint))

export const checkbox = (label: string, name: string, isOn: boolean): HTMLLabelElement =>
  h('label', { class: 'check' }, h('input', { type: 'checkbox', name, checked: isOn }), label)

export const select = (
  name: string,
  choices: readonly (readonly [value: string, words: string])[],
  chosen: string,
): HTMLSelectElement =>
  h(
    'select',
    { name },
    choices.map(([value, words]) => h('option', { value, selected: value === chosen }, words)),
  )

/** A form that waits while it is being sent, and says what was wrong where it was wrong. */
export function form(
  children: readonly Child[],
  act: string,
  send: (fields: FormData, form: HTMLFormElement) => Promise<unknown>,
): HTMLFormElement {
  const problem = h('p', { class: 'notice bad', role: 'alert', hidden: true })
  const button = h('button', {}, act)
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

/** Does something at the press of a button, which waits meanwhile; what went wrong is said. */
export function button(
  words: string,
  act: () => Promise<unknown> | unknown,
  style = 'quiet-button small',
): HTMLButtonElement {
  const element = h('button', { type: 'button', class: style }, words)
  element.addEventListener('click', async () => {
    element.disabled = true
    try {
      await act()
    } catch (error) {
      showToast(errorMessage(error))
    } finally {
      element.disabled = false
    }
  })
  return element
}

/** For the six digits of a mail. */
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

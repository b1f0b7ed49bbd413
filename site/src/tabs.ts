import { h } from './dom.ts'

/** A row of buttons of which one is pressed, to filter or switch what is shown below. */
export const tabs = <Value>(
  label: string,
  options: readonly (readonly [value: Value, label: string])[],
  current: Value,
  select: (value: Value) => unknown,
): HTMLElement =>
  h(
    'div',
    { class: 'tabs', role: 'group', 'aria-label': label },
    options.map(([value, text]) =>
      h('button', { type: 'button', 'aria-pressed': String(value === current), onclick: () => select(value) }, text),
    ),
  )

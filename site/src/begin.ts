import { wordsOf } from './api.ts'
import { h, show } from './dom.ts'
import { button } from './form.ts'

/** Shows a page; where that fails, says why, and offers to try again. */
export async function begin(act: () => Promise<unknown>): Promise<void> {
  try {
    await act()
  } catch (error) {
    show(
      h(
        'div',
        { class: 'empty', role: 'alert' },
        h('p', {}, wordsOf(error)),
        button('Try again', () => begin(act)),
      ),
    )
  }
}

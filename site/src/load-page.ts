import { h } from './dom.ts'
import { errorMessage } from './error-message.ts'
import { button } from './form.ts'
import { showView } from './show-view.ts'

/** Shows a page; where that fails, says why, and offers to try again. */
export async function loadPage(act: () => Promise<unknown>): Promise<void> {
  try {
    await act()
  } catch (error) {
    showView(
      h(
        'div',
        { class: 'empty', role: 'alert' },
        h('p', {}, errorMessage(error)),
        button('Try again', () => loadPage(act)),
      ),
    )
  }
}

import { h } from './dom.ts'
import { errorMessage } from './error-message.ts'
import { button } from './form.ts'
import { showView } from './show-view.ts'

/** Runs what fills a page. If that fails, shows why, with a button to try again. */
export async function loadPage(fill: () => Promise<unknown>): Promise<void> {
  try {
    await fill()
  } catch (error) {
    showView(
      h(
        'div',
        { class: 'empty', role: 'alert' },
        h('p', {}, errorMessage(error)),
        button('Try again', () => loadPage(fill)),
      ),
    )
  }
}

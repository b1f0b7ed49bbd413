import { previewMarkdown } from '@pennypost/contract/posts'
import { ask, wordsOf } from '../api.ts'
import { h } from '../dom.ts'
import { fillWithMarkup } from '../markup.ts'

/** What a text looks like to its readers, a moment after it was written. */
export function preview(postId: string): { readonly element: HTMLElement; draw(markdown: string): void } {
  const prose = h('div', { class: 'prose' })
  let timer: ReturnType<typeof setTimeout> | undefined
  let wanted = ''
  const render = async (markdown: string) => {
    if (markdown.trim() === '') return prose.replaceChildren(h('p', { class: 'quiet' }, 'Nothing written yet.'))
    try {
      const { html } = await ask(previewMarkdown, { body: { markdown, postId } })
      if (wanted === markdown) fillWithMarkup(prose, html)
    } catch (error) {
      prose.replaceChildren(h('p', { class: 'quiet' }, wordsOf(error)))
    }
  }
  return {
    element: h('section', { class: 'preview-pane', 'aria-label': 'Preview' }, prose),
    draw(markdown) {
      wanted = markdown
      clearTimeout(timer)
      timer = setTimeout(() => render(markdown), 350)
    },
  }
}

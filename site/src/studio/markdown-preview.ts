import { previewMarkdown } from '@pennypost/contract/posts'
import { callApi } from '../call-api.ts'
import { h } from '../dom.ts'
import { errorMessage } from '../error-message.ts'
import { setSanitizedHtml } from '../ui/set-sanitized-html.ts'

/** Shows a text as readers will see it, shortly after each change. */
export function markdownPreview(
  postId: string,
  part: 'free' | 'paid',
): { readonly element: HTMLElement; draw(markdown: string): void } {
  const prose = h('div', { class: 'prose' })
  let timer: ReturnType<typeof setTimeout> | undefined
  let wanted = ''
  const render = async (markdown: string) => {
    if (markdown.trim() === '') return prose.replaceChildren(h('p', { class: 'quiet' }, 'Nothing written yet.'))
    try {
      const { html } = await callApi(previewMarkdown, { body: { markdown, postId, part } })
      if (wanted === markdown) setSanitizedHtml(prose, html)
    } catch (error) {
      prose.replaceChildren(h('p', { class: 'quiet' }, errorMessage(error)))
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

import { getPost } from '@pennypost/contract/posts'
import { RefusedError } from '@pennypost/sdk/client'
import { callApi } from '../call-api.ts'
import { getElement, h } from '../dom.ts'
import { errorMessage, fieldErrors } from '../error-message.ts'
import { loadPage } from '../load-page.ts'
import { requireAccount } from '../session.ts'
import { showView } from '../show-view.ts'
import { acceptImages } from '../studio/accept-images.ts'
import { attachmentList } from '../studio/attachment-list.ts'
import { coverPicker } from '../studio/cover-picker.tsx'
import { type Change, Draft, untitled } from '../studio/draft.ts'
import { markdownPreview } from '../studio/markdown-preview.ts'
import { publicationPanel } from '../studio/publication-panel.ts'
import { termsForm } from '../studio/terms-form.ts'

// The editor. A draft is saved as the author types; changes to a published post are saved when the author presses Save.

const saveDelayMs = 1200

const { section: postId = '' } = getElement('main').dataset
await loadPage(async () => {
  await requireAccount()
  open(await callApi(getPost, { params: { postId } }))
})

function open(post: Awaited<ReturnType<Draft['read']>>): void {
  getElement('h1').className = 'visually-hidden'
  const state = h('p', { class: 'hint', role: 'status' })
  const problem = h('p', { class: 'notice bad', role: 'alert', hidden: true })
  const saveNow = h('button', { type: 'button', class: 'small', hidden: true, onclick: () => save() }, 'Save changes')
  let timer: ReturnType<typeof setTimeout> | undefined

  const draft = new Draft(post, () => {
    state.textContent = draft.isSaved ? 'Saved' : draft.problem ? `Not saved: ${draft.problem}` : 'Not saved yet'
    saveNow.hidden = draft.isSaved || draft.post.status !== 'published'
    publishing?.draw()
    showPaid()
  })
  const failed = (error: unknown) => {
    const fields = fieldErrors(error).map(({ field, message }) => `${field} ${message}`)
    const isStale = error instanceof RefusedError && error.code === 'revision-conflict'
    problem.replaceChildren([errorMessage(error), ...fields].join(' '))
    if (isStale)
      problem.append(' Copy what you wrote last, then ', h('a', { href: location.pathname }, 'load it anew'), '.')
    problem.hidden = false
  }
  const save = async () => {
    clearTimeout(timer)
    try {
      await draft.save()
      problem.hidden = true
    } catch (error) {
      failed(error)
    }
  }
  const changed = (change: Change) => {
    draft.change(change)
    clearTimeout(timer)
    if (draft.post.status !== 'published') timer = setTimeout(save, saveDelayMs)
  }

  const title = h('input', {
    class: 'title-input',
    value: post.title === untitled ? '' : post.title,
    maxlength: 200,
    'aria-label': 'Title',
    placeholder: 'Title',
  })
  title.addEventListener('input', () => changed({ title: title.value.trim() === '' ? untitled : title.value }))
  const lead = h(
    'textarea',
    { class: 'lead-input', rows: 2, maxlength: 500, 'aria-label': 'Description', placeholder: 'What is it about?' },
    post.description,
  )
  lead.addEventListener('input', () => changed({ description: lead.value }))

  const free = part('freeContentMarkdown', 'Free for everybody', draft, changed)
  const paid = part('paidContentMarkdown', 'For those who pay', draft, changed)
  const files = h('section', { 'aria-label': 'ZIPs' }, h('h2', {}, 'ZIPs'))
  const showPaid = () => {
    paid.hidden = !draft.post.enablePaywall
    files.hidden = !draft.post.enablePaywall
    if (draft.post.enablePaywall && files.childElementCount === 1) files.append(attachmentList(draft))
  }
  const publishing = publicationPanel(draft, failed)
  showPaid()
  state.textContent = 'Saved'
  showView(
    h(
      'div',
      { class: 'editor' },
      h('div', {}, title, lead, problem, free, paid),
      h(
        'aside',
        { 'aria-label': 'About this Post' },
        h('div', { class: 'row apart' }, state, saveNow),
        publishing.element,
        h('section', { 'aria-label': 'Terms' }, termsForm(draft, changed)),
        h('section', { 'aria-label': 'Picture for links' }, h('h2', {}, 'Picture for links'), coverPicker(draft)),
        files,
      ),
    ),
  )
  addEventListener('beforeunload', (event) => {
    if (!draft.isSaved) event.preventDefault()
  })
}

/** One part of the text, beside its preview. */
function part(
  name: 'freeContentMarkdown' | 'paidContentMarkdown',
  words: string,
  draft: Draft,
  changed: (change: Change) => void,
): HTMLElement {
  const input = h('textarea', { name, rows: 18, 'aria-label': words, spellcheck: 'true' }, draft.post[name])
  const shown = markdownPreview(draft.post.id, name === 'freeContentMarkdown' ? 'free' : 'paid')
  const written = () => {
    shown.draw(input.value)
    if (input.value !== draft.post[name]) changed({ [name]: input.value })
  }
  input.addEventListener('input', written)
  shown.draw(input.value)
  return h(
    'section',
    { class: 'write', 'aria-label': words },
    h('h2', {}, words),
    h('div', { class: 'pane both' }, h('div', {}, input, acceptImages(input, draft, written)), shown.element),
  )
}

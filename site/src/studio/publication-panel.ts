import { deletePost, publishPost, withdrawPost } from '@pennypost/contract/posts'
import { callApi } from '../call-api.ts'
import { h } from '../dom.ts'
import { button } from '../form.ts'
import { showToast } from '../show-toast.ts'
import { askForProfile } from '../ui/complete-profile.tsx'
import { confirmAction } from '../ui/confirm-action.tsx'
import { type Draft, untitled } from './draft.ts'

const requirements = [
  ['handle', 'A name and a handle', undefined],
  ['receivingAddress', 'An address to be paid at', '/settings/receiving'],
  ['category', 'A category', undefined],
  ['language', 'A language', undefined],
  ['creationMethod', 'How it was made', undefined],
  ['creationAttested', 'That you attest it', undefined],
] as const

/** What a post needs before it can be published, and the buttons to publish, withdraw or delete it. */
export function publicationPanel(
  draft: Draft,
  failed: (error: unknown) => void,
): { readonly element: HTMLElement; draw(): void } {
  const element = h('section', { 'aria-label': 'Publication' })
  const params = { postId: draft.post.id }
  const move = async (endpoint: typeof publishPost | typeof withdrawPost, words: string) => {
    try {
      await draft.save()
      await callApi(endpoint, { params, headers: { 'x-post-revision': draft.post.updatedAt } })
      showToast(words)
    } catch (error) {
      failed(error)
    }
    await draft.reread()
  }
  const draw = () => {
    const { status, blockers } = draft.post
    const publish = button(
      status === 'draft' ? 'Publish' : 'Publish again',
      () => move(publishPost, 'It is published.'),
      '',
    )
    publish.disabled = blockers.length > 0 || draft.problem !== undefined || draft.post.title === untitled
    element.replaceChildren(
      h('h2', {}, status === 'published' ? 'Published' : status === 'draft' ? 'Draft' : 'Withdrawn'),
      checklist(draft),
      h(
        'div',
        { class: 'row' },
        status !== 'published' && publish,
        status === 'published' && h('a', { class: 'button small', href: `/posts/${draft.post.id}` }, 'View'),
        status === 'published' &&
          draft.post.enablePaywall &&
          button('Gift link', async () =>
            (await import('../checkout/open-gift-link-dialog.tsx')).openGiftLinkDialog(draft.post.id),
          ),
        status === 'published' &&
          button('Withdraw', async () => {
            if ((await confirmAction('Withdraw this Post? Who bought it keeps it.', 'Withdraw')) !== undefined)
              await move(withdrawPost, 'It is withdrawn.')
          }),
        status === 'draft' && button('Delete', remove, 'text-button'),
      ),
    )
  }
  const remove = async () => {
    if ((await confirmAction('Delete this draft for good?', 'Delete')) === undefined) return
    await draft.save()
    await callApi(deletePost, { params, headers: { 'x-post-revision': draft.post.updatedAt } })
    location.assign('/studio')
  }
  draw()
  return { element, draw }
}

/** The requirements for publishing, done or missing. Those that only some posts have are listed while they are missing. */
function checklist(draft: Draft): HTMLElement | '' {
  const { post } = draft
  if (post.status === 'published' && post.blockers.length === 0) return ''
  const known = requirements.map(([field, words, href]) => {
    const blocker = post.blockers.find((each) => each.field === field || (field === 'handle' && each.field === 'name'))
    return h(
      'li',
      { class: blocker ? '' : 'done' },
      blocker && field === 'handle'
        ? button(words, () => askForProfile().then(() => draft.reread()), 'text-button')
        : blocker && href
          ? h('a', { href }, words)
          : words,
      h('span', { class: 'visually-hidden' }, blocker ? ': missing' : ': done'),
    )
  })
  const others = post.blockers
    .filter(({ field }) => field !== 'name' && !requirements.some(([each]) => each === field))
    .map(({ message }) => h('li', {}, message))
  const isTitled = post.title !== untitled
  const title = h(
    'li',
    { class: isTitled ? 'done' : '' },
    'A title',
    h('span', { class: 'visually-hidden' }, isTitled ? ': done' : ': missing'),
  )
  return h('ul', { class: 'checklist', 'aria-label': 'Before it can be published' }, title, known, others)
}

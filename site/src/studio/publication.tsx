import { deletePost, publishPost, withdrawPost } from '@pennypost/contract/posts'
import { useRef } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import type { Children } from '../jsx/markup.ts'
import { postPath } from '../paths.ts'
import { showToast } from '../show-toast.ts'
import { Button } from '../ui/button.tsx'
import { askForProfile } from '../ui/complete-profile.tsx'
import { confirmAction } from '../ui/confirm-action.tsx'
import { type Draft, untitled } from './draft.ts'

const headings = { draft: 'Draft', published: 'Published', withdrawn: 'Unpublished' } as const

/** What a post needs before it can be published, and the buttons to publish, unpublish or delete it. */
export function Publication({ draft }: { readonly draft: Draft }) {
  const heading = useRef<HTMLHeadingElement>(null)
  const { id, status, blockers, title, enablePaywall } = draft.post
  const move = async (endpoint: typeof publishPost | typeof withdrawPost, words: string) => {
    try {
      await draft.move(endpoint)
    } catch {
      // The editor shows why. What is missing may have changed.
      return draft.reread()
    }
    showToast(words)
    // The button that was pressed is gone.
    heading.current?.focus()
  }
  const unpublish = async () => {
    if ((await confirmAction('Unpublish this post? Buyers keep access.', 'Unpublish')) !== undefined)
      await move(withdrawPost, 'Your post is no longer public.')
  }
  const remove = async () => {
    if ((await confirmAction("Delete this draft? This can't be undone.", 'Delete')) === undefined) return
    await draft.afterSaving((headers) => callApi(deletePost, { params: { postId: id }, headers }))
    location.assign('/studio')
  }
  const openGiftLink = async () => (await import('../checkout/open-gift-link-dialog.tsx')).openGiftLinkDialog(id)
  return (
    <section aria-label="Publication">
      <h2 ref={heading} tabindex={-1}>
        {headings[status]}
      </h2>
      {(status !== 'published' || blockers.length > 0) && <Checklist draft={draft} />}
      <div class="row">
        {status === 'published' ? (
          <>
            <a class="button small" href={postPath(id)}>
              View
            </a>
            {enablePaywall && <Button action={openGiftLink}>Gift link</Button>}
            <Button action={unpublish}>Unpublish</Button>
          </>
        ) : (
          <Button
            class=""
            isDisabled={blockers.length > 0 || draft.problem !== undefined || title === untitled}
            action={() => move(publishPost, 'Your post is published.')}
          >
            {status === 'draft' ? 'Publish' : 'Publish again'}
          </Button>
        )}
        {status === 'draft' && (
          <Button class="text-button" action={remove}>
            Delete
          </Button>
        )}
      </div>
    </section>
  )
}

const requirements = [
  ['handle', 'Name and handle'],
  ['receivingAddress', 'Payout address'],
  ['category', 'Category'],
  ['language', 'Language'],
  ['creationMethod', 'How it was written'],
  ['creationAttested', 'AI disclosure confirmed'],
] as const

/** The requirements for publishing, done or missing. Those that only some posts have are listed while they are missing. */
function Checklist({ draft }: { readonly draft: Draft }) {
  const { title, blockers } = draft.post
  const missing = new Set(blockers.map(({ field }) => (field === 'name' ? 'handle' : field)))
  const known = new Set<string>(['name', ...requirements.map(([field]) => field)])
  const askForName = async () => {
    await askForProfile()
    await draft.reread()
  }
  return (
    <ul class="checklist" aria-label="Before you publish">
      <Requirement isMet={title !== untitled}>Title</Requirement>
      {requirements.map(([field, label]) => (
        <Requirement key={field} isMet={!missing.has(field)}>
          {!missing.has(field) ? (
            label
          ) : field === 'handle' ? (
            <Button class="text-button" action={askForName}>
              {label}
            </Button>
          ) : field === 'receivingAddress' ? (
            <a href="/settings/receiving">{label}</a>
          ) : (
            label
          )}
        </Requirement>
      ))}
      {blockers
        .filter(({ field }) => !known.has(field))
        .map(({ field, message }) => (
          <Requirement key={field} isMet={false}>
            {message}
          </Requirement>
        ))}
    </ul>
  )
}

interface RequirementProps {
  readonly isMet: boolean
  readonly children: Children
}

const Requirement = ({ isMet, children }: RequirementProps) => (
  <li class={isMet ? 'done' : undefined}>
    {children}
    <span class="visually-hidden">{isMet ? ': done' : ': missing'}</span>
  </li>
)

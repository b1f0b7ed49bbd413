import { saveBasePayoutAddress, savePayoutAddress, updateProfile } from '@pennypost/contract/profiles'
import { withdrawPost } from '@pennypost/contract/publishing'
import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { errorMessage, fieldErrors } from '../error-message.ts'
import { formatDateTime } from '../format.ts'
import { postPath } from '../paths.ts'
import { showToast } from '../show-toast.ts'
import { confirmAction } from '../ui/confirm-action.tsx'
import { Field } from '../ui/form.tsx'
import { Attachments } from './attachments.tsx'
import type { Change } from './change.ts'
import { Cover } from './cover.tsx'
import { type Draft, untitled } from './draft.ts'
import { withChange } from './local-copy.ts'
import { type PublicationPresets, presetPublication } from './preset-publication.ts'
import { PublishedButtons, UnpublishedButtons } from './publication-buttons.tsx'
import { MoreTerms, Terms } from './terms.tsx'

interface PublishDrawerProps {
  readonly dialog: RefObject<HTMLDialogElement | null>
  /** Whether it was ever opened. Until then nothing is preset. */
  readonly isOpened: boolean
  readonly draft: Draft
  readonly isPaid: boolean
  /** ZIP files that were dropped into the text. */
  readonly zips: readonly File[]
  readonly onChange: (change: Change) => void
  readonly onTitle: (title: string) => void
}

const headings = { draft: 'Publish', published: 'Published', withdrawn: 'Unpublished' } as const

/** Everything about a post but its text, and the button that publishes it. It asks for what is missing. */
export function PublishDrawer({ dialog, isOpened, ...content }: PublishDrawerProps) {
  const [opened, setOpened] = useState<PublicationPresets>()
  useEffect(() => {
    if (isOpened)
      presetPublication(content.draft, content.onChange).then(setOpened, (error: unknown) =>
        showToast(errorMessage(error)),
      )
  }, [isOpened])
  return (
    <dialog class="drawer" ref={dialog} aria-labelledby="publication-title">
      {opened ? (
        <Drawer {...content} {...opened} onClose={() => dialog.current!.close()} />
      ) : (
        <h2 id="publication-title">One moment…</h2>
      )}
    </dialog>
  )
}

interface DrawerProps extends Omit<PublishDrawerProps, 'dialog' | 'isOpened'>, PublicationPresets {
  readonly onClose: () => void
}

function Drawer({ draft, first, suggestion, isPaid, zips, onChange, onTitle, onClose }: DrawerProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const [profile, setProfile] = useState(suggestion)
  const [address, setAddress] = useState('')
  const [error, setError] = useState<unknown>()
  // In the browser's own time, as its field writes it; empty for now.
  const [later, setLater] = useState('')
  const [isNotEmailed, setNotEmailed] = useState(false)
  const [emailSubscribers, setEmailSubscribers] = useState(true)
  const { id, status, scheduledFor } = draft.post
  const { title } = withChange(draft.post, draft.unsaved)
  const missing = new Set(draft.post.blockers.map(({ field }) => field))
  const [needsTitle] = useState(title === untitled)
  const [needsProfile] = useState(missing.has('name') || missing.has('handle'))
  const [needsAddress] = useState(missing.has('receivingAddress'))

  const publish = async () => {
    setError(undefined)
    let isLimited = false
    try {
      if (missing.has('name') || missing.has('handle')) await callApi(updateProfile, { body: profile })
      if (missing.has('receivingAddress') && address !== '')
        await callApi(address.startsWith('0x') ? saveBasePayoutAddress : savePayoutAddress, {
          body: { payoutAddress: address },
        })
      if (!draft.post.creationAttested) onChange({ creationAttested: true })
      const publication = { emailSubscribers, ...(later && { publishAt: new Date(later).toISOString() }) }
      isLimited = (await draft.publish(publication)) === 'limit_reached'
    } catch (problem) {
      setError(problem)
      // What is missing may have changed.
      return draft.reread()
    }
    setNotEmailed(isLimited)
    if (draft.post.status === 'published' && !isLimited) return location.assign(`${postPath(id)}#share`)
    setLater('')
    heading.current?.focus()
  }
  const unpublish = async () => {
    if ((await confirmAction('Unpublish this post? Buyers keep access.', 'Unpublish')) === undefined) return
    try {
      await draft.withdraw(withdrawPost)
    } catch {
      // The editor shows why.
      return draft.reread()
    }
    showToast('Your post is no longer public.')
    // The button that was pressed is gone.
    heading.current?.focus()
  }
  return (
    <>
      <div class="row apart">
        <h2 id="publication-title" ref={heading} tabindex={-1}>
          {scheduledFor ? `Scheduled for ${formatDateTime(scheduledFor)}` : headings[status]}
        </h2>
        <button type="button" class="quiet-button small" onClick={onClose}>
          Close
        </button>
      </div>
      <div class="card">
        {needsTitle && (
          <Field label="Title">
            <input
              name="title"
              maxlength={200}
              dir="auto"
              defaultValue={title === untitled ? '' : title}
              onInput={({ currentTarget }) => onTitle(currentTarget.value)}
            />
          </Field>
        )}
        {needsProfile && <ProfileFields profile={profile} onChange={setProfile} />}
        <Terms
          first={first}
          isPaid={isPaid}
          onChange={onChange}
          onProblem={(problem) => draft.mark('price', problem)}
        />
        {needsAddress && (
          <Field label="Payout address" hint="A Nano address, or one on Base for USDC. Sales and tips are paid to it.">
            <input
              name="payoutAddress"
              maxlength={100}
              placeholder="nano_… or 0x…"
              spellcheck={false}
              autocapitalize="none"
              autocomplete="off"
              onInput={({ currentTarget }) => setAddress(currentTarget.value.trim())}
            />
          </Field>
        )}
      </div>
      {isPaid && <Attachments draft={draft} dropped={zips} />}
      <details>
        <summary>More options</summary>
        <div class="card">
          <MoreTerms first={first} onChange={onChange} />
        </div>
        <Cover draft={draft} />
      </details>
      <div class="drawer-end">
        <Missing draft={draft} />
        {error !== undefined && (
          <p class="notice bad" role="alert">
            {[errorMessage(error), ...fieldErrors(error).map(({ message }) => message)].join(' ')}
          </p>
        )}
        {isNotEmailed && (
          <p class="notice" role="status">
            Your post is published, but it was not emailed: as many of your posts as this site allows in 24 hours were
            emailed to your subscribers before it.
          </p>
        )}
        {status !== 'published' && (
          <When
            hasSubscribers={draft.post.publishedAt === null}
            later={later}
            onLater={setLater}
            onEmail={setEmailSubscribers}
          />
        )}
        {status !== 'published' && (
          <p class="hint">By publishing you confirm that what you say about how it was written is accurate.</p>
        )}
        {status === 'published' ? (
          <PublishedButtons draft={draft} onUnpublish={unpublish} />
        ) : (
          <UnpublishedButtons
            draft={draft}
            isLater={later !== ''}
            canPublish={title !== untitled}
            onPublish={publish}
          />
        )}
      </div>
    </>
  )
}

type SuggestedProfile = PublicationPresets['suggestion']

interface ProfileFieldsProps {
  readonly profile: SuggestedProfile
  readonly onChange: (profile: SuggestedProfile) => void
}

/** Asks for the name and handle of an author who has not chosen them yet. */
const ProfileFields = ({ profile, onChange }: ProfileFieldsProps) => (
  <div class="two-fields">
    <Field label="Your name">
      <input
        name="name"
        maxlength={50}
        autocomplete="name"
        defaultValue={profile.name}
        onInput={({ currentTarget }) => onChange({ ...profile, name: currentTarget.value.trim() })}
      />
    </Field>
    <Field label="Handle" hint="Your page is at /@handle.">
      <input
        name="handle"
        maxlength={30}
        autocapitalize="none"
        autocomplete="username"
        spellcheck={false}
        defaultValue={profile.handle}
        onInput={({ currentTarget }) => onChange({ ...profile, handle: currentTarget.value.trim() })}
      />
    </Field>
  </div>
)

interface WhenProps {
  /** Subscribers get a post by email when it is published for the first time. */
  readonly hasSubscribers: boolean
  readonly later: string
  readonly onLater: (later: string) => void
  readonly onEmail: (isOn: boolean) => void
}

/** When the post is published, and whether subscribers get it by email. */
const When = ({ hasSubscribers, later, onLater, onEmail }: WhenProps) => (
  <details>
    <summary>{later ? `On ${formatDateTime(new Date(later).toISOString())}` : 'Publish later, email'}</summary>
    <div class="card">
      <Field label="Publish on" hint="Leave it empty to publish now. Your own time zone.">
        <input
          name="publishAt"
          type="datetime-local"
          defaultValue={later}
          onInput={({ currentTarget }) => onLater(currentTarget.value)}
        />
      </Field>
      {hasSubscribers && (
        <label class="check">
          <input type="checkbox" defaultChecked onChange={({ currentTarget }) => onEmail(currentTarget.checked)} />
          Email it to your subscribers
        </label>
      )}
    </div>
  </details>
)

/** Fields of this drawer, where the author sees that they are empty. */
const askedFields = new Set(
  'name handle receivingAddress category language creationMethod creationAttested price'.split(' '),
)

/** Lists what else the post needs before it can be published. */
function Missing({ draft }: { readonly draft: Draft }) {
  const missing = draft.post.blockers.filter(({ field }) => !askedFields.has(field))
  if (missing.length === 0) return null
  return (
    <ul class="checklist" aria-label="Before you publish">
      {missing.map(({ field, message }) => (
        <li key={field}>{message}</li>
      ))}
    </ul>
  )
}

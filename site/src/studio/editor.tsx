import type { Post } from '@pennypost/contract/posts'
import { useEffect, useReducer, useState } from 'preact/hooks'
import { errorMessage, fieldErrors } from '../error-message.ts'
import { Attachments } from './attachments.tsx'
import { Cover } from './cover.tsx'
import { type Change, Draft, untitled } from './draft.ts'
import { Publication } from './publication.tsx'
import { Terms } from './terms.tsx'
import { TextPart } from './text-part.tsx'

// Fields have the values of the post as it was opened (`first`), never newer ones: what the author types is not replaced, and
// the browser keeps its undo history.

/** The editor of a post: its text beside a preview, and everything else about it. */
export function Editor({ first }: { readonly first: Post }) {
  const [, redraw] = useReducer((count: number, _: undefined) => count + 1, 0)
  const [draft] = useState(() => new Draft(first, () => redraw(undefined)))
  const [isPaid, setPaid] = useState(first.enablePaywall)
  const [hasMath, setMath] = useState(first.math)
  const change = (made: Change) => {
    if (made.math !== undefined) setMath(made.math)
    if (made.enablePaywall !== undefined) setPaid(made.enablePaywall)
    draft.change(made)
  }
  useEffect(() => guardUnsaved(draft), [draft])
  return (
    <div class="editor">
      <div>
        <input
          class="title-input"
          maxlength={200}
          aria-label="Title"
          placeholder="Title"
          dir="auto"
          defaultValue={first.title === untitled ? '' : first.title}
          onInput={({ currentTarget: { value } }) => change({ title: value.trim() === '' ? untitled : value })}
        />
        <textarea
          class="lead-input"
          rows={2}
          maxlength={500}
          aria-label="Description"
          placeholder="What is it about?"
          dir="auto"
          defaultValue={first.description}
          onInput={({ currentTarget }) => change({ description: currentTarget.value })}
        />
        <Problem draft={draft} />
        <TextPart
          label={isPaid ? 'Free preview' : 'Text'}
          part="free"
          first={first}
          draft={draft}
          hasMath={hasMath}
          onChange={change}
        />
        {/* Hidden, not removed: its text stays when the paywall is switched off and on again. */}
        <TextPart
          label="Paid content"
          part="paid"
          first={first}
          draft={draft}
          hasMath={hasMath}
          onChange={change}
          hidden={!isPaid}
        />
      </div>
      <aside aria-label="Post settings">
        <SaveState draft={draft} />
        <Publication draft={draft} />
        <Terms first={first} isPaid={isPaid} onChange={change} onProblem={(problem) => draft.mark('price', problem)} />
        <Cover draft={draft} />
        {isPaid && <Attachments draft={draft} />}
      </aside>
    </div>
  )
}

/** Whether everything is saved. What is wrong with a save is shown by `Problem`, where the author writes. */
function SaveState({ draft }: { readonly draft: Draft }) {
  const { isSaved, problem, post } = draft
  return (
    <div class="row apart save-state">
      <p class="hint" role="status">
        {isSaved ? 'Saved' : problem ? `Not saved: ${problem}` : 'Not saved yet'}
      </p>
      {!isSaved && post.status === 'published' && (
        <button type="button" class="small" onClick={() => save(draft)}>
          Save changes
        </button>
      )}
    </div>
  )
}

/** `Problem` shows why it failed. */
const save = (draft: Draft): Promise<void> => draft.save().catch(() => undefined)

/** Why the last attempt to save or publish failed. */
function Problem({ draft: { error, isOutdated } }: { readonly draft: Draft }) {
  if (error === undefined && !isOutdated) return null
  const fields = fieldErrors(error).map(({ field, message }) => `${field} ${message}`)
  return (
    <p class="notice bad" role="alert">
      {isOutdated ? (
        <>
          This post was edited elsewhere. Copy your changes, then <a href={location.pathname}>reload</a>.
        </>
      ) : (
        [errorMessage(error), ...fields].join(' ')
      )}
    </p>
  )
}

/** Saves with Ctrl+S, and drafts when the page is hidden or the network is back. Asks before unsaved text is left. */
function guardUnsaved(draft: Draft): () => void {
  const leaving = new AbortController()
  const { signal } = leaving
  const autosave = () => draft.autosave()
  addEventListener(
    'beforeunload',
    (event) => {
      if (!draft.isSaved) event.preventDefault()
    },
    { signal },
  )
  addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      void save(draft)
    },
    { signal },
  )
  document.addEventListener('visibilitychange', autosave, { signal })
  addEventListener('online', autosave, { signal })
  return () => leaving.abort()
}

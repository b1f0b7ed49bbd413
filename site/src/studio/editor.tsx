import type { Post } from '@pennypost/contract/posts'
import { useEffect, useReducer, useRef, useState } from 'preact/hooks'
import { errorMessage, fieldErrors } from '../error-message.ts'
import { formatTimeAgo } from '../format.ts'
import { Button } from '../ui/button.tsx'
import type { Change } from './change.ts'
import { openComparison } from './compare-versions.tsx'
import { Draft, untitled } from './draft.ts'
import { deleteLocalCopy, type LocalCopy, recoveryOf, withChange } from './local-copy.ts'
import { openHistory } from './open-history.tsx'
import { openPreviewDialog } from './open-preview-dialog.tsx'
import { PublishDrawer } from './publish-drawer.tsx'
import type { TextEditor } from './text/create-editor.ts'
import { PostTextEditor } from './text/post-text-editor.tsx'
import { textOf } from './text-of-post.ts'

// Fields have the values of the post as it was opened (`first`), never newer ones: what the author types is not replaced, and
// the browser keeps its undo history.

interface EditorProps {
  /** The post as the service has it. */
  readonly saved: Post
  /** Unsaved changes that this browser has kept. */
  readonly copy: LocalCopy | undefined
}

/** The editor of a post: its title and text, and a drawer with everything else about it. */
export function Editor({ saved, copy }: EditorProps) {
  const [, redraw] = useReducer((count: number, _: undefined) => count + 1, 0)
  const [draft] = useState(() => new Draft(saved, () => redraw(undefined)))
  const recovery = copy ? recoveryOf(copy, saved) : 'nothing'
  const [first] = useState(() => (recovery === 'apply' ? withChange(saved, copy!.change) : saved))
  const [isPaid, setPaid] = useState(first.enablePaywall)
  const [zips, setZips] = useState<readonly File[]>([])
  const title = useRef<HTMLInputElement>(null)
  const drawer = useRef<HTMLDialogElement>(null)
  const text = useRef<TextEditor>(null)
  const [isDrawerOpened, setDrawerOpened] = useState(false)
  const openDrawer = () => {
    setDrawerOpened(true)
    drawer.current!.showModal()
  }
  const change = (made: Change) => {
    if (made.enablePaywall !== undefined) setPaid(made.enablePaywall)
    draft.change(made)
  }
  useEffect(() => guardUnsaved(draft), [draft])
  useEffect(() => {
    if (recovery === 'apply') draft.change(copy!.change)
    if (copy && recovery === 'nothing') void deleteLocalCopy(saved.id)
    if (first.title === untitled) title.current!.focus()
  }, [])
  const addZips = (files: readonly File[]) => {
    // Only paid posts can have ZIP files.
    if (!isPaid) change({ enablePaywall: true })
    setZips(files)
    openDrawer()
  }
  const setTitle = (value: string) => {
    title.current!.value = value === untitled ? '' : value
    change({ title: value.trim() === '' ? untitled : value })
  }
  const showHistory = () =>
    openHistory(withChange(draft.post, draft.unsaved), (version) => {
      setTitle(version.title)
      text.current!.replace({ free: version.freeContentMarkdown, paid: version.paidContentMarkdown })
    })
  return (
    <div class="editor">
      <EditorBar draft={draft} onHistory={showHistory} onPublish={openDrawer} />
      <Problem draft={draft} />
      {copy && recovery !== 'nothing' && <Recovered draft={draft} copy={copy} isApplied={recovery === 'apply'} />}
      <div class="page">
        <input
          ref={title}
          class="title-input"
          maxlength={200}
          aria-label="Title"
          placeholder="Title"
          dir="auto"
          defaultValue={first.title === untitled ? '' : first.title}
          onInput={({ currentTarget: { value } }) => change({ title: value.trim() === '' ? untitled : value })}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.isComposing) return
            event.preventDefault()
            text.current!.view.focus()
          }}
        />
        <textarea
          class="lead-input"
          rows={1}
          maxlength={500}
          aria-label="Description"
          placeholder="What is it about?"
          dir="auto"
          defaultValue={first.description}
          onInput={({ currentTarget }) => change({ description: currentTarget.value })}
        />
        <PostTextEditor first={first} draft={draft} isPaid={isPaid} onChange={change} onZips={addZips} editor={text} />
      </div>
      <PublishDrawer
        dialog={drawer}
        isOpened={isDrawerOpened}
        draft={draft}
        isPaid={isPaid}
        zips={zips}
        onChange={change}
        onTitle={setTitle}
      />
    </div>
  )
}

interface EditorBarProps {
  readonly draft: Draft
  readonly onHistory: () => Promise<void>
  readonly onPublish: () => void
}

/** Shows whether everything is saved, and the button to publish. It is always visible. */
function EditorBar({ draft, onHistory, onPublish }: EditorBarProps) {
  const { isSaved, problem, post } = draft
  const isPublished = post.status === 'published'
  return (
    <div class="editor-bar row apart">
      <p class="hint" role="status">
        {isSaved ? 'Saved' : problem ? `Not saved: ${problem}` : 'Not saved yet'}
      </p>
      <div class="row">
        <Button action={onHistory}>History</Button>
        <Button action={() => openPreviewDialog(withChange(draft.post, draft.unsaved))}>Preview</Button>
        {!isSaved && isPublished && (
          <button type="button" class="small" onClick={() => save(draft)}>
            Save changes
          </button>
        )}
        <button type="button" class={isPublished ? 'quiet-button small' : 'small'} onClick={onPublish}>
          {isPublished ? 'Settings' : 'Publish'}
        </button>
      </div>
    </div>
  )
}

/** `Problem` shows why it failed. */
const save = (draft: Draft): Promise<void> => draft.save().catch(() => undefined)

/** Why the last attempt to save or publish failed. */
function Problem({ draft }: { readonly draft: Draft }) {
  const { error, isOutdated } = draft
  if (error === undefined && !isOutdated) return null
  const fields = fieldErrors(error).map(({ field, message }) => `${field} ${message}`)
  return (
    <p class="notice bad" role="alert">
      {isOutdated ? (
        <>
          This post was edited elsewhere.{' '}
          <button type="button" class="text-button" onClick={() => compare(draft)}>
            Compare both versions
          </button>{' '}
          or copy your changes, then <a href={location.pathname}>reload</a>.
        </>
      ) : (
        [errorMessage(error), ...fields].join(' ')
      )}
    </p>
  )
}

/** Lets the author decide between this page's version and the one from elsewhere. */
function compare(draft: Draft): void {
  const mine = withChange(draft.post, draft.unsaved)
  const other = draft.other!
  openComparison('This post was edited elsewhere', [
    {
      label: 'Your version',
      title: mine.title,
      text: textOf(mine),
      action: 'Keep yours',
      onKeep: () => draft.keepMine().catch(() => undefined),
    },
    {
      label: 'The other version',
      title: other.title,
      text: textOf(other),
      action: 'Keep the other',
      async onKeep() {
        await draft.keepOther()
        location.reload()
      },
    },
  ])
}

interface RecoveredProps {
  readonly draft: Draft
  readonly copy: LocalCopy
  readonly isApplied: boolean
}

/** Tells the author that this browser has unsaved text. If the post was changed since, the author chooses a version. */
function Recovered({ draft, copy, isApplied }: RecoveredProps) {
  const [isShown, setShown] = useState(true)
  if (!isShown) return null
  const when = formatTimeAgo(new Date(copy.at).toISOString())
  const dismiss = () => setShown(false)
  const compareCopy = () => {
    const kept = withChange(draft.post, copy.change)
    openComparison('This browser has text that was not saved', [
      {
        label: `Written here ${when}`,
        title: kept.title,
        text: textOf(kept),
        action: 'Use this',
        async onKeep() {
          draft.change(copy.change)
          await draft.save()
          location.reload()
        },
      },
      {
        label: 'The saved version',
        title: draft.post.title,
        text: textOf(draft.post),
        action: 'Use this',
        async onKeep() {
          await deleteLocalCopy(copy.postId)
          dismiss()
        },
      },
    ])
  }
  return (
    <p class="notice" role="status">
      {isApplied ? (
        <>Restored what you wrote {when}, which had not been saved. </>
      ) : (
        <>
          This browser has text from {when} that was not saved, and the post has changed since.{' '}
          <button type="button" class="text-button" onClick={compareCopy}>
            Compare both versions
          </button>{' '}
        </>
      )}
      <button type="button" class="text-button" onClick={dismiss}>
        Close
      </button>
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

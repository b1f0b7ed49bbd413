import { listUploadOperations } from '@pennypost/contract/images'
import type { Post } from '@pennypost/contract/posts'
import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { callApi } from '../../call-api.ts'
import { plural } from '../../format.ts'
import { pathOf } from '../../path-of.ts'
import type { Change } from '../change.ts'
import type { Draft } from '../draft.ts'
import { countWords, readingMinutes } from './count-words.ts'
import { createEditor, type TextEditor } from './create-editor.ts'
import { findImages, showImages } from './images.ts'
import { addPaidLine, setForSale, takePaidLineAway } from './paid-line.ts'
import { type Parts, partsOf } from './post-text.ts'
import { Toolbar } from './toolbar.tsx'
import { acceptedImages, FailedUploads, useImageUploads } from './upload-images.tsx'

interface TextEditorProps {
  /** The post as it was opened. */
  readonly first: Post
  readonly draft: Draft
  readonly isPaid: boolean
  readonly onChange: (change: Change) => void
  /** Called with ZIP files that were dropped, or with none to choose some. */
  readonly onZips: (files: readonly File[]) => void
  /** Gets the editor once it is there. */
  readonly editor: RefObject<TextEditor | null>
}

const countAfterMs = 300

/** The text of a post: one document, with a line from which on it is paid. */
export function PostTextEditor({ first, draft, isPaid, onChange, onZips, editor }: TextEditorProps) {
  const place = useRef<HTMLDivElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  const [actions, setActions] = useState<TextEditor['actions']>([])
  const [isSource, setSource] = useState(false)
  const [words, setWords] = useState(() => countWords(`${first.freeContentMarkdown}\n${first.paidContentMarkdown}`))
  const uploads = useImageUploads(() => editor.current!.view, draft)
  const addFiles = (files: readonly File[]) => {
    uploads.add(files.filter(({ type }) => acceptedImages.includes(type)))
    const zips = files.filter(({ name }) => /\.zip$/i.test(name))
    if (zips.length > 0) onZips(zips)
  }
  // The handlers that the editor was made with call those of the last render.
  const handlers = useRef({ onChange, onZips, addFiles })
  handlers.current = { onChange, onZips, addFiles }

  useEffect(() => {
    let last: Parts = { free: first.freeContentMarkdown, paid: first.paidContentMarkdown }
    let timer: ReturnType<typeof setTimeout> | undefined
    const made = createEditor(place.current!, {
      parts: last,
      isForSale: first.enablePaywall,
      onChange(parts) {
        const change: Change = {
          ...(parts.free !== last.free && { freeContentMarkdown: parts.free }),
          ...(parts.paid !== last.paid && { paidContentMarkdown: parts.paid }),
        }
        last = parts
        if (Object.keys(change).length > 0) handlers.current.onChange(change)
        clearTimeout(timer)
        timer = setTimeout(() => setWords(countWords(`${parts.free}\n${parts.paid}`)), countAfterMs)
      },
      onFiles: (files) => handlers.current.addFiles(files),
      chooseImage: () => picker.current!.click(),
      chooseZip: () => handlers.current.onZips([]),
      onPaidLine: () => handlers.current.onChange({ enablePaywall: true }),
      onRemovePaidLine: () => handlers.current.onChange({ enablePaywall: false }),
    })
    editor.current = made
    setActions(made.actions)
    void loadImages(first.id, made)
    const stop = followKeyboard(place.current!.closest<HTMLElement>('.write')!)
    return () => {
      stop()
      clearTimeout(timer)
      made.view.destroy()
    }
  }, [])

  useEffect(() => {
    const { view } = editor.current!
    view.dispatch({ effects: setForSale.of(isPaid) })
    if (isPaid) addPaidLine(view)
    else if (partsOf(view.state).paid === '') takePaidLineAway(view)
  }, [isPaid])

  const choose = () => {
    addFiles([...(picker.current!.files ?? [])])
    picker.current!.value = ''
  }
  return (
    <section class="write" aria-label="Text of the post">
      <Toolbar
        actions={actions}
        onAction={({ run }) => {
          const { view } = editor.current!
          view.focus()
          run(view)
        }}
        isSource={isSource}
        onSource={(wanted) => {
          setSource(wanted)
          editor.current!.setSource(wanted)
        }}
      />
      <div ref={place} />
      <input type="file" ref={picker} multiple accept={acceptedImages.join()} hidden onChange={choose} />
      <FailedUploads uploads={uploads} />
      <p class="hint word-count">
        {plural(words, 'word')}, {readingMinutes(words)} min read
      </p>
    </section>
  )
}

/** Finds out where the images of the text are. */
async function loadImages(postId: string, { view }: TextEditor): Promise<void> {
  if (findImages(view.state).length === 0) return
  const { operations } = await callApi(listUploadOperations, { query: { postId } })
  showImages(
    view,
    operations.flatMap(({ safety, publicUrl }) =>
      publicUrl === null ? [] : [[safety.targetKey, { url: pathOf(publicUrl), label: '' }] as const],
    ),
  )
}

/** Sets `--keyboard` to the height that a phone's keyboard covers, so that the toolbar stays above it. */
function followKeyboard(element: HTMLElement): () => void {
  const { visualViewport } = window
  if (!visualViewport) return () => undefined
  const update = () => {
    const covered = Math.max(0, window.innerHeight - visualViewport.height - visualViewport.offsetTop)
    element.style.setProperty('--keyboard', `${Math.round(covered)}px`)
  }
  const stop = new AbortController()
  visualViewport.addEventListener('resize', update, { signal: stop.signal })
  visualViewport.addEventListener('scroll', update, { signal: stop.signal })
  return () => stop.abort()
}

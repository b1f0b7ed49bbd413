import type { Post } from '@pennypost/contract/posts'
import { useRef, useState } from 'preact/hooks'
import type { Change, Draft } from './draft.ts'
import { ImageUploads, useImageUploads } from './image-uploads.tsx'
import { Preview } from './preview.tsx'

interface TextPartProps {
  readonly label: string
  readonly part: 'free' | 'paid'
  /** The post as it was opened. */
  readonly first: Post
  readonly draft: Draft
  readonly hasMath: boolean
  readonly onChange: (change: Change) => void
  readonly hidden?: boolean
}

const names = { free: 'freeContentMarkdown', paid: 'paidContentMarkdown' } as const

/** One part of the text, beside its preview. */
export function TextPart({ label, part, first, draft, hasMath, onChange, hidden = false }: TextPartProps) {
  const name = names[part]
  const input = useRef<HTMLTextAreaElement>(null)
  const [markdown, setMarkdown] = useState(first[name])
  // How many images can be shown now: the same text then looks different.
  const [cleared, setCleared] = useState(0)
  const [isDropping, setDropping] = useState(false)
  const change = () => {
    const { value } = input.current!
    setMarkdown(value)
    onChange({ [name]: value })
  }
  const images = useImageUploads(input, draft, change, () => setCleared((count) => count + 1))
  const drop = (event: DragEvent) => {
    setDropping(false)
    if (!event.dataTransfer?.files.length) return
    event.preventDefault()
    images.add(event.dataTransfer.files)
  }
  return (
    <section class="write" aria-label={label} hidden={hidden}>
      <h2>{label}</h2>
      <div class="pane">
        <div>
          <textarea
            ref={input}
            name={name}
            rows={18}
            aria-label={label}
            spellcheck
            dir="auto"
            class={isDropping ? 'dropping' : undefined}
            defaultValue={first[name]}
            onInput={change}
            onPaste={(event) => images.add(event.clipboardData?.files ?? [])}
            onDragOver={(event) => {
              event.preventDefault()
              setDropping(true)
            }}
            onDragLeave={() => setDropping(false)}
            onDrop={drop}
          />
          <ImageUploads images={images} />
        </div>
        <section class="preview-pane" aria-label="Preview">
          <Preview version={cleared} postId={first.id} part={part} markdown={markdown} hasMath={hasMath} />
        </section>
      </div>
    </section>
  )
}

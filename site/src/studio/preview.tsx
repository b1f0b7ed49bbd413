import { previewMarkdown } from '@pennypost/contract/posts'
import { useEffect, useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { Prose } from '../components/sanitized-html.tsx'
import { errorMessage } from '../error-message.ts'

interface PreviewProps {
  readonly postId: string
  readonly part: 'free' | 'paid'
  readonly markdown: string
  readonly hasMath: boolean
}

/** Shows a text as readers will see it. */
export function Preview({ postId, part, markdown, hasMath }: PreviewProps) {
  const [shown, setShown] = useState<{ readonly html: string } | { readonly problem: string }>({ html: '' })
  const isEmpty = markdown.trim() === ''
  useEffect(() => {
    if (isEmpty) return
    let isCurrent = true
    const render = async () => {
      const body = { markdown, postId, part, math: hasMath }
      const rendered = await callApi(previewMarkdown, { body }).catch((error: unknown) => ({
        problem: errorMessage(error),
      }))
      if (isCurrent) setShown(rendered)
    }
    void render()
    return () => {
      isCurrent = false
    }
  }, [isEmpty, markdown, hasMath, postId, part])
  if (isEmpty) return <p class="quiet">Nothing written yet.</p>
  return 'problem' in shown ? <p class="quiet">{shown.problem}</p> : <Prose html={shown.html} />
}

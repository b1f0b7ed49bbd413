import { uploadPostImage } from '@pennypost/contract/images'
import { callApi } from '../call-api.ts'
import { h } from '../dom.ts'
import { pathOf } from '../path-of.ts'
import { randomUuid } from '../random-uuid.ts'
import { toElement } from '../ui/dom-bridge.tsx'
import { ImagePicker } from '../ui/image-picker.tsx'
import type { Draft } from './draft.ts'

/** The image that other sites show beside links to the post. */
export function coverPicker(draft: Draft): HTMLElement {
  const shown = h('div', {})
  const draw = () => {
    const { ogImageUrl } = draft.post
    shown.replaceChildren(
      ...(ogImageUrl ? [h('img', { class: 'cover', src: pathOf(ogImageUrl), alt: 'The picture for links' })] : []),
    )
  }
  draw()
  const send = async (body: FormData, fetcher: typeof fetch) => {
    await draft.save()
    const params = { postId: draft.post.id }
    const headers = { 'x-post-revision': draft.post.updatedAt }
    return callApi(
      uploadPostImage,
      { params, query: { intent: 'og' }, headers, idempotencyKey: randomUuid(), body },
      fetcher,
    )
  }
  const redraw = async () => {
    await draft.reread()
    draw()
  }
  return h('div', {}, shown, toElement(<ImagePicker label="Choose an image" send={send} onCleared={redraw} />))
}

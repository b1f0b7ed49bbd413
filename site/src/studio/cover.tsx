import { uploadPostImage } from '@pennypost/contract/images'
import { callApi } from '../call-api.ts'
import { pathOf } from '../path-of.ts'
import { randomUuid } from '../random-uuid.ts'
import { ImagePicker } from '../ui/image-picker.tsx'
import type { Draft } from './draft.ts'

/** The image that lists of posts and other sites show beside links to the post. */
export function Cover({ draft }: { readonly draft: Draft }) {
  const { id, ogImageUrl } = draft.post
  const send = (body: FormData, fetcher: typeof fetch) =>
    draft.afterSaving((headers) =>
      callApi(
        uploadPostImage,
        { params: { postId: id }, query: { intent: 'og' }, headers, idempotencyKey: randomUuid(), body },
        fetcher,
      ),
    )
  return (
    <section aria-label="Social preview image">
      <h2>Social preview image</h2>
      {ogImageUrl && <img class="cover" src={pathOf(ogImageUrl)} alt="What links to this post show" />}
      <ImagePicker label="Choose an image" send={send} onCleared={() => draft.reread()} />
    </section>
  )
}

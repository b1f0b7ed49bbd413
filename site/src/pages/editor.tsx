import { getPost } from '@pennypost/contract/posts'
import { callApi } from '../call-api.ts'
import { getElement } from '../get-element.ts'
import { requireAccount } from '../session.ts'
import { Editor } from '../studio/editor.tsx'
import { readLocalCopy } from '../studio/local-copy.ts'
import { showPage } from '../ui/show-page.tsx'

const { section: postId = '' } = getElement('main').dataset

await showPage(async () => {
  await requireAccount()
  const [saved, copy] = await Promise.all([callApi(getPost, { params: { postId } }), readLocalCopy(postId)])
  return <Editor saved={saved} copy={copy} />
})

import {
  getPostVersion,
  listPostVersions,
  type PostVersion,
  type PostVersionSummary,
} from '@pennypost/contract/post-versions'
import type { Post } from '@pennypost/contract/posts'
import { callApi } from '../call-api.ts'
import { formatTimeAgo } from '../format.ts'
import { Button } from '../ui/button.tsx'
import { CloseButton, openDialog } from '../ui/open-dialog.tsx'
import { byKey } from './by-key.ts'
import { openComparison } from './compare-versions.tsx'
import { textOf } from './text-of-post.ts'

/** Lists earlier versions of a post. Each can be compared with the post as it is, and restored. */
export async function openHistory(current: Post, onRestore: (version: PostVersion) => void): Promise<void> {
  const { versions } = await callApi(listPostVersions, { params: { postId: current.id } })
  const dialog = openDialog(
    { 'aria-labelledby': 'history-title' },
    <>
      <h2 id="history-title">History</h2>
      {versions.length === 0 && (
        <p class="empty">No earlier versions yet. One is kept for every five minutes of writing.</p>
      )}
      <ul class="rows">
        {versions.map((version) => (
          <li key={version.id}>
            <div>
              <p dir="auto">{version.title}</p>
              <p class="facts">{factsOf(version)}</p>
            </div>
            <Button
              action={async () => {
                const params = { postId: current.id, versionId: version.id }
                compare(current, await callApi(getPostVersion, { params }), onRestore)
                dialog.close()
              }}
            >
              Compare
            </Button>
          </li>
        ))}
      </ul>
      <CloseButton />
    </>,
  )
}

const factsOf = ({ kind, characters, createdAt, writtenByKey }: PostVersionSummary): string =>
  `${kind === 'publish' ? 'Published' : 'Written'} ${formatTimeAgo(createdAt)}, ${characters.toLocaleString('en')} characters${byKey(writtenByKey)}`

function compare(current: Post, version: PostVersion, onRestore: (version: PostVersion) => void): void {
  openComparison('An earlier version', [
    {
      label: factsOf(version),
      title: version.title,
      text: textOf(version),
      action: 'Restore',
      onKeep: () => onRestore(version),
    },
    { label: 'Now', title: current.title, text: textOf(current), action: 'Keep', onKeep: () => undefined },
  ])
}

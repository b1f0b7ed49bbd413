import type { PostSummary } from '@pennypost/contract/discovery'
import { oneLine } from '../clean-text.ts'
import { formatSize, plural } from '../format.ts'

interface AttachmentListProps {
  readonly attachments: PostSummary['attachments']
  /** The gift link that the reader came by, which opens the files too. */
  readonly giftToken: string | undefined
}

/** The post's files. Everybody sees names and sizes; buyers get download links from the script, gift readers here. */
export const AttachmentList = ({ attachments, giftToken }: AttachmentListProps) =>
  attachments.length > 0 && (
    <section class="files" aria-label="Files">
      <h2>Files</h2>
      <ul>
        {attachments.map(({ id, filename, sizeBytes, description, contents, downloadUrl }) => (
          <li data-file={id} key={id}>
            <div>
              <b>{oneLine(filename)}</b>{' '}
              <span class="quiet">
                {formatSize(sizeBytes)}
                {contents !== null && `, ${plural(contents.length, 'file')}`}
              </span>
              {description !== '' && (
                <>
                  <br />
                  {oneLine(description)}
                </>
              )}
            </div>
            {giftToken !== undefined && (
              <a class="button quiet-button small" download="" href={`${downloadUrl}?gift=${giftToken}`}>
                Download
              </a>
            )}
          </li>
        ))}
      </ul>
    </section>
  )

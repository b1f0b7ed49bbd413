import type { Attachment } from '@pennypost/contract/posts'
import { oneLine } from '../clean-text.ts'
import { formatSize, plural } from '../format.ts'

/** The link or button with which a reader gets a file. */
export interface FileLink {
  readonly href: string
  readonly label: string
  readonly isDownload: boolean
}

interface AttachmentListProps {
  readonly attachments: readonly Attachment[]
  /** Undefined if the reader has to buy the post first. */
  readonly linkOf?: ((attachment: Attachment) => FileLink) | undefined
}

/** The post's files. Everyone sees names and sizes; buyers get links from the script, gift readers from the server. */
export const AttachmentList = ({ attachments, linkOf }: AttachmentListProps) =>
  attachments.length > 0 && (
    <section class="files" aria-label="Files">
      <h2>Files</h2>
      <ul>
        {attachments.map((attachment) => {
          const { id, filename, sizeBytes, description, contents } = attachment
          const link = linkOf?.(attachment)
          return (
            <li key={id}>
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
              {link && (
                <a
                  class="button quiet-button small"
                  download={link.isDownload ? filename : undefined}
                  href={link.href}
                  aria-label={`${link.label}: ${oneLine(filename)}`}
                >
                  {link.label}
                </a>
              )}
            </li>
          )
        })}
      </ul>
    </section>
  )

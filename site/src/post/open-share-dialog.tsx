import { Button } from '../ui/button.tsx'
import { Copyable } from '../ui/copyable.tsx'
import { CloseButton, openDialog } from '../ui/open-dialog.tsx'
import { QrCode } from '../ui/qr-code.tsx'

interface Shared {
  readonly title: string
  readonly url: string
}

/** Offers the ways to pass a post on: the apps of this device, the link, a QR code. */
export function openShareDialog({ title, url }: Shared): void {
  openDialog(
    { class: 'share', 'aria-labelledby': 'share-title' },
    <>
      <h2 id="share-title">Share this post</h2>
      <Copyable name="Link" value={url} />
      <div class="row">
        {/* Browsers on desktop computers often have no such menu. */}
        {'share' in navigator && (
          <Button class="" action={() => shareWithApp({ title, url })}>
            Share with an app
          </Button>
        )}
      </div>
      <QrCode text={url} label="QR code of the link" />
      <CloseButton />
    </>,
  )
}

async function shareWithApp(shared: Shared): Promise<void> {
  try {
    await navigator.share(shared)
  } catch (error) {
    // The reader changed their mind.
    if (!(error instanceof DOMException && error.name === 'AbortError')) throw error
  }
}

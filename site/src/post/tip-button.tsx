import { Button } from '../ui/button.tsx'

interface TipButtonProps {
  readonly postId: string
  readonly comment: { readonly id: string; readonly name: string }
}

/** Opens the dialog for a tip to the writer of a comment. */
export const TipButton = (tipped: TipButtonProps) => (
  <Button
    class="text-button"
    action={async () => (await import('../checkout/open-tip-dialog.tsx')).openTipDialog(tipped)}
  >
    Tip
  </Button>
)

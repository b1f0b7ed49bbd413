import { toSvgPath } from 'lean-qr/extras/svg'
import { correction, generate } from 'lean-qr/nano'
import { useMemo } from 'preact/hooks'

// The light margin that the standard requires around a code.
const margin = 4
// Version 10. In larger codes the modules get so small that fewer of them scan better than more error correction.
const largestWithMediumCorrection = 57

interface QrCodeProps {
  readonly text: string
  readonly label: string
}

/** A QR code. It is black on white in dark mode too, because many phones do not recognise an inverted code. */
export function QrCode({ text, label }: QrCodeProps) {
  const { size, path } = useMemo(() => draw(text), [text])
  return (
    <div class="pay-scan">
      <svg viewBox={`${-margin} ${-margin} ${size} ${size}`} class="qr" role="img" aria-label={label}>
        <path d={path} />
      </svg>
    </div>
  )
}

function draw(text: string): { readonly size: number; readonly path: string } {
  const robust = generate(text, { minCorrectionLevel: correction.M })
  const code = robust.size <= largestWithMediumCorrection ? robust : generate(text)
  return { size: code.size + 2 * margin, path: toSvgPath(code) }
}

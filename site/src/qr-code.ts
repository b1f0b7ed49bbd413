import { toSvgPath } from 'lean-qr/extras/svg'
import { correction, generate } from 'lean-qr/nano'
import { svg } from './svg.ts'

// The light margin that the standard requires around a code.
const margin = 4
// Version 10. In larger codes the modules get so small that fewer of them scan better than more error correction.
const largestWithMediumCorrection = 57

/** Draws a QR code. It is black on white in dark mode too, because many phones do not recognise an inverted code. */
export function qrCode(text: string, label: string): SVGElement {
  const robust = generate(text, { minCorrectionLevel: correction.M })
  const code = robust.size <= largestWithMediumCorrection ? robust : generate(text)
  const size = code.size + 2 * margin
  return svg(
    'svg',
    { viewBox: `${-margin} ${-margin} ${size} ${size}`, class: 'qr', role: 'img', 'aria-label': label },
    svg('path', { d: toSvgPath(code) }),
  )
}

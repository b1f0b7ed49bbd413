import { qrDots } from './encode.ts'

const svg = 'http://www.w3.org/2000/svg'
// What the standard asks for around a code.
const margin = 4

/** A code to scan, drawn here: nobody else is asked for it. Black on white whatever the page's colours, or phones miss it. */
export function qrCode(text: string, label: string): SVGElement {
  const dots = qrDots(text) ?? []
  const size = dots.length + 2 * margin
  const element = document.createElementNS(svg, 'svg')
  element.setAttribute('viewBox', `0 0 ${size} ${size}`)
  element.setAttribute('class', 'qr')
  element.setAttribute('role', 'img')
  element.setAttribute('aria-label', label)
  const path = document.createElementNS(svg, 'path')
  path.setAttribute(
    'd',
    dots
      .flatMap((row, y) =>
        [
          ...row
            .map((isDark) => (isDark ? '1' : '0'))
            .join('')
            .matchAll(/1+/g),
        ].map(({ index, 0: { length } }) => `M${index + margin} ${y + margin}h${length}v1h-${length}z`),
      )
      .join(''),
  )
  element.append(path)
  return element
}

import { printableLine } from './printable.ts'

export interface Bar {
  update(done: number, total: number, note?: string): void
  /** Removes the bar. */
  end(): void
}

export const noBar: Bar = { update() {}, end() {} }

const width = 24
const redrawMs = 80

/** A bar in the last line of a terminal, drawn again as the work goes on. */
export function terminalBar(stream: { write(text: string): unknown; readonly columns?: number }, label: string): Bar {
  let drawnAt = 0
  let isDrawn = false
  return {
    update(done, total, note = '') {
      const now = Date.now()
      // Without a total there is no end to draw, and no share of it.
      if (now - drawnAt < redrawMs && (done < total || total === 0)) return
      drawnAt = now
      isDrawn = true
      const share = Math.min(1, done / (total || 1))
      const full = Math.round(share * width)
      const bar = `${'█'.repeat(full)}${'░'.repeat(width - full)}`
      const scale = total === 0 ? '' : `${bar} ${String(Math.floor(share * 100)).padStart(3)} %  `
      const text = `${label} ${scale}${note}`
      stream.write(`\r\u001b[2K${printableLine(text).slice(0, (stream.columns || 80) - 1)}`)
    },
    end() {
      if (isDrawn) stream.write('\r\u001b[2K')
      isDrawn = false
    },
  }
}

import type { Facilitator, Settlement } from './facilitator.ts'

/** Single-flight: the same proof, presented again while it is being settled, waits for the same settlement. */
export function oncePerProof(settle: Facilitator['settle']): Facilitator['settle'] {
  const underWay = new Map<string, Promise<Settlement>>()
  return (proof, options) => {
    const key = JSON.stringify(proof.payload.payload).toLowerCase()
    const known = underWay.get(key)
    if (known) return known
    const settlement = settle(proof, options).finally(() => underWay.delete(key))
    underWay.set(key, settlement)
    return settlement
  }
}

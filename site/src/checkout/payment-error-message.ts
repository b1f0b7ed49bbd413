/** The message for an x402 error code. With every one of them nothing was charged. */
export function paymentErrorMessage(reason: string): string {
  const known = reasons.find(([part]) => reason.includes(part))
  return known?.[1] ?? `The payment was not taken, and nothing was charged (${reason}).`
}

const reasons: readonly (readonly [part: string, words: string])[] = [
  ['insufficient_balance', 'This wallet has not enough USDC on Base. Nothing was charged.'],
  ['insufficient_funds', 'This wallet has not enough USDC on Base. Nothing was charged.'],
  ['quote_expired', 'The price was good for five minutes, which are over. Nothing was charged.'],
  ['valid_before', 'The signature ran out before it could be used. Nothing was charged.'],
  ['valid_after', 'The signature is not valid yet. Nothing was charged.'],
  ['signature', 'The signature is not that of this wallet. Nothing was charged.'],
  ['post_withdrawn', 'The author has withdrawn this Post. Nothing was charged.'],
  ['rail_off', 'USDC cannot be taken now. Nothing was charged.'],
  ['another_payment_is_under_way', 'Another payment for this is under way. Wait for how it ends.'],
]

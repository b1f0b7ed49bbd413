/** The message for an x402 error code. None of these errors charged anything. */
export function paymentErrorMessage(reason: string): string {
  const known = reasons.find(([part]) => reason.includes(part))
  return known?.[1] ?? `The payment did not go through. Nothing was charged (${reason}).`
}

const reasons: readonly (readonly [part: string, words: string])[] = [
  ['insufficient_balance', 'This wallet does not have enough USDC on Base. Nothing was charged.'],
  ['insufficient_funds', 'This wallet does not have enough USDC on Base. Nothing was charged.'],
  ['quote_expired', 'This price has expired after five minutes. Nothing was charged.'],
  ['valid_before', 'The signature expired before it could be used. Nothing was charged.'],
  ['valid_after', 'The signature is not valid yet. Nothing was charged.'],
  ['signature', 'The signature does not match this wallet. Nothing was charged.'],
  ['post_withdrawn', 'The author has unpublished this post. Nothing was charged.'],
  ['rail_off', 'USDC payments are not available right now. Nothing was charged.'],
  ['another_payment_is_under_way', 'Another payment for this post is on its way. Wait until it has finished.'],
]
